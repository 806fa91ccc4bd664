// The bots of a person, an upload form for a new one, and starter bots to download. The page of a bot is in ../bots.

import { ask, gameName, gap, go, h, joinFacts, loadAssets, signedIn, storage, t, tOr, toast } from "../page.js";
import { card, download, fetchAccount, isInstructor } from "../components.js";
import { showBot, versionBadge } from "../bots/bot.js";
import { uploadForm } from "../bots/upload.js";

/** @import { BotLine } from "../bots/bot.js" */
/** @typedef {{ title: string, name: string }[]} Games */

const STARTERS = ["python", "cpp", "java", "javascript"];

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, [id, page, version]) {
  await loadAssets("bots");
  main.className = "bots";
  return id === undefined ? showList(main) : showBot(main, Number(id), page === "report" ? Number(version) : undefined);
}

/** @param {HTMLElement} main */
async function showList(main) {
  document.title = `${t("bots.title")} · Ludus`;
  /** @type {[Games, BotLine[] | null, { role: string }]} */
  const [games, mine, me] = await Promise.all([
    ask("/api/games"),
    signedIn() ? ask("/api/bots").catch(() => null) : null,
    fetchAccount(),
  ]);
  /** @type {BotLine[]} */
  const all = isInstructor(me.role) ? await ask("/api/bots/all") : [];
  const others = all.filter((bot) => !bot.mine);
  main.append(h("h1", t("bots.title")));
  if (mine) main.append(mine.length ? botList(mine) : h("p.lead", t("bots.empty")));
  const form = mine && uploadForm(games, (upload) => create(games, upload));
  const first = form ? card(t("bots.new"), form) : guestCard();
  main.append(h("div.columns", first, starterCard(games)));
  if (others.length) main.append(h("section.others", h("h2", t("bots.others")), botList(others)));
}

/** Creates a bot and shows it. @param {Games} games @param {Record<string, unknown>} upload */
async function create(games, upload) {
  const { id, name, game } = await ask("/api/bots", upload);
  storage.write("game", game);
  go(`/bots/${id}`);
  const title = games.find((one) => one.name === game)?.title ?? game;
  if (!upload.game) toast(t("bots.detected", { name, game: gameName(game, title) }));
}

function guestCard() {
  return card(
    t("bots.guest"),
    h("p", t("bots.guest.how")),
    h("ol.how", ...["1", "2", "3"].map((number) => h("li", t(`bots.how.${number}`)))),
    h(
      "div.row",
      h("a.button", { href: "/account?next=/bots" }, t("bots.sign-in")),
      h("a.link", { href: "/ladder" }, t("bots.ladders")),
    ),
  );
}

/** Returns the starter bots to download. @param {Games} games */
function starterCard(games) {
  const row = (/** @type {Games[0]} */ { name, title }) => {
    const game = gameName(name, title);
    const links = STARTERS.map((one) => {
      const language = tOr(`language.${one}`, one);
      return download(`/api/starters/${name}/${one}`, language, "link", t("bots.starter.label", { game, language }));
    });
    return h("li", h("strong", game), h("span.row", ...links));
  };
  const starters = card(
    t("bots.starters"),
    h("p.dim", t("bots.starters.about")),
    h("ul", ...games.map(row)),
    h("p.dim", t("bots.submit"), gap(), h("code", "ludus submit mybot/")),
  );
  starters.classList.add("starters");
  return starters;
}

/** @param {BotLine[]} bots */
function botList(bots) {
  const row = (/** @type {BotLine} */ { id, name, game, mine, owner, newest, entered, public: open, state }) => {
    const place = entered ? "bots.on-ladder" : open ? "bots.public" : "bots.private";
    const facts = joinFacts(!mine && owner, newest && t("bots.version", { n: newest }), t(place));
    const parts = [h("strong", name), h("span", gameName(game, game)), h("span.dim", facts), versionBadge(state)];
    return h("li", h("a", { href: `/bots/${id}` }, ...parts));
  };
  return h("ul.bot-list", ...bots.map(row));
}
