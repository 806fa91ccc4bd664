// What to analyse, where the address does not say: a game, or one of the person's own finished games. Knows no rules.

import { Board } from "../board.js";
import { loadLook } from "../look.js";
import { ask, gameName, h, joinFacts, personName, sideMark, t, tCount } from "../page.js";
import { boardAfter } from "../replay.js";

/** @import { Scene } from "../board.js" */
/** @import { GamePage, PlayedGame } from "../people/lists.js" */

const LATEST = 5;

/** @param {HTMLElement} main */
export async function showChoice(main) {
  document.title = `${t("nav.analysis")} · Ludus`;
  /** @type {[Scene[], GamePage]} */
  const [scenes, played] = await Promise.all([ask("/api/showcase"), ask("/api/my/games")]);
  const tiles = await Promise.all(scenes.map(gameTile));
  const finished = played.games.filter(({ result }) => result !== "open").slice(0, LATEST);
  main.className = "choose";
  main.append(
    h("h1", t("choose.title")),
    h("p.dim", t("choose.lead")),
    h("ul.tiles", ...tiles),
    h(
      "section.part",
      h("h2", t("choose.mine")),
      finished.length ? h("ul.finished", ...finished.map(gameLink)) : h("p.dim", t("choose.none")),
    ),
  );
}

/** @param {Scene} scene */
async function gameTile({ frame, start, plies }) {
  const board = new Board(frame, await loadLook(frame.game), { labels: false });
  board.set(boardAfter(plies, start.board));
  const words = h("strong", gameName(frame.game, frame.title));
  return h("li", h("a", { href: `/analysis?game=${frame.game}` }, h("span.picture", board.element), words));
}

/** @param {PlayedGame} game */
function gameLink({ id, game, title, side, opponent, moves }) {
  const { player, name, private: hidden, here } = opponent;
  const other = here ? t("play.here") : hidden ? "" : personName(player, name);
  return h(
    "li",
    h(
      "a",
      { href: `/analysis/${id}` },
      sideMark(side),
      h("strong", gameName(game, title)),
      h("span.dim", joinFacts(other, tCount("moves", moves))),
      h("span.go", t("match.analyse")),
    ),
  );
}
