// The home page: the games as animated boards, and one click to play. Knows games only by their data.

import { Board } from "../board.js";
import { button } from "../components.js";
import { loadLook } from "../look.js";
import { ask, gameKey, gameName, go, h, handler, personName, reducedMotion, t, tCount, tOr } from "../page.js";

/**
 * @typedef {{ frame: import("../page.js").Frame, start: import("../page.js").Position, plies:
 *   import("../page.js").Ply[] }} Scene
 */

const FIRST_LEVEL = 3;
const REST_MS = 700;
const LADDERS_MS = 1200;

/** Starts a game at once. @param {string} game */
async function playNow(game) {
  const match = await ask("/api/matches", { game, seats: ["human", `engine:level=${FIRST_LEVEL}`] });
  go(`/match/${match.id}`);
}

/** Plays a scene in a loop while it is visible. @param {Board} board @param {Scene} scene @param {AbortSignal} over */
async function playScene(board, scene, over) {
  let visible = true;
  if (typeof IntersectionObserver !== "undefined") {
    const observer = new IntersectionObserver(([entry]) => (visible = entry.isIntersecting));
    observer.observe(board.element);
    over.addEventListener("abort", () => observer.disconnect());
  }
  const rest = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));
  await rest(Math.random() * 900);
  while (!over.aborted) {
    for (const ply of scene.plies) {
      while ((!visible || document.hidden) && !over.aborted) await rest(300);
      if (over.aborted) return;
      await board.play(ply);
      await rest(REST_MS);
    }
    await rest(1800);
    board.set(scene.start.board);
    board.markLast(null);
  }
}

/** @param {HTMLElement} main */
export async function show(main) {
  document.title = "Ludus";
  const over = new AbortController();
  const cards = h("div.cards");
  const now = h("section.now", { hidden: true });
  main.className = "home";
  const tops = h("section.tops", { hidden: true });
  main.append(h("section.hero", h("h1", t("home.title")), h("p", t("home.lead"))), cards, now, tops);
  const scenes = /** @type {Scene[]} */ (await ask("/api/showcase"));
  const looks = await Promise.all(scenes.map(({ frame }) => loadLook(frame.game)));
  scenes.forEach((scene, index) => {
    const { game, title } = scene.frame;
    const board = new Board(scene.frame, looks[index], { labels: false });
    board.set(scene.start.board);
    const name = gameName(game, title);
    const play = () => playNow(game);
    cards.append(
      h(
        "article.card",
        { class: `card-${game}` },
        h("button.picture", { tabindex: -1, "aria-hidden": "true", click: handler(play) }, board.element),
        h(
          "div.about",
          h("h2", name),
          h("p", tOr(gameKey(game, "about"), "", scene.frame.options)),
          h(
            "div.row",
            button("home.play", play, "button", t("home.play.label", { game: name })),
            h(
              "a.link",
              { href: `/play?game=${game}`, "aria-label": t("home.more.label", { game: name }) },
              t("home.more"),
            ),
          ),
        ),
      ),
    );
    if (reducedMotion.matches) for (const ply of scene.plies.slice(0, 6)) board.play(ply);
    else playScene(board, scene, over.signal);
  });
  showRunning(now).catch(() => {}); // the list of other games may fail
  const ladders = setTimeout(() => showLadders(tops).catch(() => {}), LADDERS_MS); // after the main content
  return () => (over.abort(), clearTimeout(ladders));
}

/** Lists the running games and tournaments. @param {HTMLElement} place */
async function showRunning(place) {
  /**
   * @type {{ matches: { id: string, game: string, title: string, players: [string, string], names?: [string | null,
   *   string | null], moves?: number }[], tournaments: { id: number, name: string, game: string, title: string, games:
   *   number, going: { match: string, first: string, second: string }[] }[] }}
   */
  const { matches, tournaments } = await ask("/api/now");
  const row = (
    /** @type {string} */ href,
    /** @type {string} */ game,
    /** @type {string} */ what,
    /** @type {string} */ how,
  ) => h("li", h("a", { href }, h("strong", game), h("span", what), h("span.dim", how)));
  const rows = [
    ...tournaments.flatMap(({ id, name, game, title, games, going }) => [
      row(`/tournaments/${id}`, gameName(game, title), name, tCount("games", games)),
      ...going.map(({ match, first, second }) =>
        row(
          `/match/${match}`,
          gameName(game, title),
          t("home.versus", { first: personName(first), second: personName(second) }),
          name,
        ),
      ),
    ]),
    ...matches.map(({ id, game, title, players, names, moves }) =>
      row(
        `/match/${id}`,
        gameName(game, title),
        t("home.versus", { first: personName(players[0], names?.[0]), second: personName(players[1], names?.[1]) }),
        tCount("moves", moves ?? 0),
      ),
    ),
  ];
  if (!rows.length) return;
  place.hidden = false;
  place.append(h("h2", t("home.now")), h("ul", ...rows));
}

/** Shows the best bots of each ladder. @param {HTMLElement} place */
async function showLadders(place) {
  /** @type {{ game: string, lines: { rank: number, player: string, name?: string | null }[] }[]} */
  const ladders = await ask("/api/ladders");
  if (!ladders.length) return;
  place.hidden = false;
  place.append(
    h("h2", t("home.ladders")),
    h(
      "div",
      ...ladders.map(({ game, lines }) =>
        h(
          "a",
          { href: `/ladder/${game}` },
          h("strong", gameName(game, game)),
          h("ol", ...lines.map(({ rank, player, name }) => h("li", { value: rank }, personName(player, name)))),
        ),
      ),
    ),
  );
}
