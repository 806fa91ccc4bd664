// Studies: one's own, and public ones of others; and a new one.

import { dateTime, field, gameChoices, select, submitButton, submitForm } from "../components.js";
import { ask, gameName, h, initialGame, joinFacts, loadAssets, signedIn, t, tCount } from "../page.js";
import { homeTabs } from "../people/lists.js";
import { createStudy } from "../studies/create.js";

/** @import { Game } from "../page.js" */
/**
 * @typedef {{ id: string, title: string, game: string, visibility: string, owner?: string, chapters: number, touched:
 *   string }} Summary
 */

/** @param {Summary} study @param {Game[]} games */
function row({ id, title, game, visibility, owner, chapters, touched }, games) {
  const known = games.find(({ name }) => name === game);
  const facts = joinFacts(gameName(game, known?.title ?? game), owner, tCount("study.chapters.count", chapters));
  return h(
    "li",
    h("a", { href: `/study/${id}` }, h("strong", title), h("small", facts)),
    !owner && h("span.dim", t(`study.visibility.${visibility}`)),
    h("span.dim", dateTime(touched)),
  );
}

/** @param {HTMLElement} main */
export async function show(main) {
  /** @type {[Game[], { mine?: Summary[], public?: Summary[] }, unknown, unknown]} */
  const [games, { mine = [], public: others = [] }] = await Promise.all([
    ask("/api/games"),
    ask("/api/studies"),
    loadAssets("people"),
    loadAssets("study"),
  ]);
  document.title = `${t("studies.title")} · Ludus`;
  const begin = async (/** @type {Record<string, string>} */ { game }) => {
    const { start, options } = await ask(`/api/positions?${new URLSearchParams({ game })}`);
    const chapter = { title: t("study.chapter", { n: 1 }), options: options ?? "", start: start.text };
    const title = gameName(game, games.find(({ name }) => name === game)?.title ?? game);
    return createStudy({ title, game, chapters: [chapter] });
  };
  const choice = select(gameChoices(games), initialGame(games), { name: "game" }, () => {});
  const list = (/** @type {Summary[]} */ studies) => h("ul.studies", ...studies.map((study) => row(study, games)));
  main.className = "people";
  main.append(
    h("h1", t("studies.title")),
    homeTabs("studies", signedIn()),
    h("p.dim", t("studies.how")),
    submitForm(begin, h("div.row", field(t("play.game"), choice), submitButton("studies.new"))),
    h("section", { "aria-label": t("studies.mine") }, h("h2", t("studies.mine")), studiesOrNone(mine, list)),
  );
  if (others.length)
    main.append(h("section", { "aria-label": t("studies.public") }, h("h2", t("studies.public")), list(others)));
}

/** @param {Summary[]} studies @param {(studies: Summary[]) => HTMLElement} list */
const studiesOrNone = (studies, list) =>
  studies.length ? list(studies) : h("p.dim", t(signedIn() ? "studies.none" : "studies.guest"));
