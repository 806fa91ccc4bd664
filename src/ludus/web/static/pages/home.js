// The home page: the games as animated boards, and one click to play. Knows games only by their data.

import { showScene } from "../board.js";
import { button } from "../components.js";
import { loadLook } from "../look.js";
import { ask, gameKey, gameName, go, h, handler, lastLevel, personName, sideMark, t, tCount, tOr } from "../page.js";

/** @import { Scene } from "../board.js" */
/**
 * @typedef {{ id: string, game: string, title: string, side: number, opponent: { player: string, name?: string | null,
 *   private?: boolean, here?: boolean }, moves: number }} OwnGame
 */
/** @typedef {{ game: string, lines: { rank: number, player: string, name?: string | null }[] }} Ladder */

/** Starts a game at once, at the level that was played last. @param {string} game */
async function playNow(game) {
  const match = await ask("/api/matches", { game, seats: ["human", `engine:level=${lastLevel(game)}`] });
  go(`/match/${match.id}`);
}

/** @param {HTMLElement} main */
export async function show(main) {
  document.title = "Ludus";
  const over = new AbortController();
  const cards = h("div.cards");
  const mine = h("section.now.mine", { hidden: true });
  const now = h("section.now", { hidden: true });
  main.className = "home";
  const tops = h("section.tops", { hidden: true });
  main.append(h("section.hero", h("h1", t("home.title")), h("p", t("home.lead"))), mine, cards, now, tops);
  const scenes = /** @type {Scene[]} */ (await ask("/api/showcase"));
  scenes.forEach((scene) => {
    const { game, title, rows, cols } = scene.frame;
    const picture = h("button.picture", { tabindex: -1, "aria-hidden": "true", click: () => handler(play)() });
    const place = h("div.board");
    place.style.setProperty("--ratio", String((cols * 100 + 20) / (rows * 100 + 20)));
    picture.append(place); // what a board looks like comes later than the words
    const name = gameName(game, title);
    const play = () => playNow(game);
    cards.append(
      h(
        "article.card",
        { class: `card-${game}` },
        picture,
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
    loadLook(game)
      .then((look) => picture.replaceChildren(showScene(scene, look, over.signal).element))
      .catch(() => {}); // the card serves without its board, too
  });
  showNow(mine, now, tops).catch(() => {}); // the page serves without these lists, too
  return () => over.abort();
}

/**
 * Shows what the visitor can continue, what others play, and the best bots.
 * @param {HTMLElement} mine @param {HTMLElement} now @param {HTMLElement} tops
 */
async function showNow(mine, now, tops) {
  /** @type {Running & { mine: OwnGame[], ladders: Ladder[] }} */
  const found = await ask("/api/now");
  showMine(mine, found.mine);
  showRunning(now, found);
  showLadders(tops, found.ladders);
}

/** Lists the visitor's own games that are not over. @param {HTMLElement} place @param {OwnGame[]} games */
function showMine(place, games) {
  if (!games.length) return;
  const rows = games.map(({ id, game, title, side, opponent: { player, name, private: hidden, here }, moves }) => {
    const known = !hidden && (player !== "human" || name); // else a guest
    const other = here ? t("play.here") : personName(player, name);
    const versus = here || player === "open" ? other : known ? t("home.against", { name: other }) : "";
    const words = h("strong", sideMark(side), gameName(game, title));
    const facts = h("span.dim", tCount("moves", moves));
    return h("li", h("a", { href: `/match/${id}` }, words, h("span", versus), facts, h("span.do", t("home.continue"))));
  });
  place.hidden = false;
  place.append(h("h2", t("home.mine")), h("ul", ...rows));
}

/**
 * @typedef {{ matches: { id: string, game: string, title: string, players: [string, string], names?: [string | null,
 *   string | null], moves?: number }[], tournaments: { id: number, name: string, game: string, title: string, games:
 *   number, going: { match: string, first: string, second: string }[] }[] }} Running
 */

/** Lists the running games and tournaments. @param {HTMLElement} place @param {Running} running */
function showRunning(place, { matches, tournaments }) {
  const row = (
    /** @type {string} */ href,
    /** @type {string} */ game,
    /** @type {string} */ what,
    /** @type {string} */ how,
  ) => h("li", h("a", { href }, h("strong", game), h("span", what), h("span.dim", how)));
  const versus = (/** @type {string} */ first, /** @type {string} */ second) => t("home.versus", { first, second });
  const rows = [
    ...tournaments.flatMap(({ id, name, game, title, games, going }) => [
      row(`/tournaments/${id}`, gameName(game, title), name, tCount("games", games)),
      ...going.map(({ match, first, second }) =>
        row(`/match/${match}`, gameName(game, title), versus(personName(first), personName(second)), name),
      ),
    ]),
    ...matches.map(({ id, game, title, players, names, moves }) => {
      const [first, second] = players.map((player, side) => personName(player, names?.[side]));
      return row(`/match/${id}`, gameName(game, title), versus(first, second), tCount("moves", moves ?? 0));
    }),
  ];
  if (!rows.length) return;
  place.hidden = false;
  place.append(h("h2", t("home.now")), h("ul", ...rows));
}

/** Shows the best bots of each ladder. @param {HTMLElement} place @param {Ladder[]} ladders */
function showLadders(place, ladders) {
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
