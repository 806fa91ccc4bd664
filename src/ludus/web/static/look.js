// How games look: loads the pieces, style sheets and motion of all games, and draws and names their marks. Knows no
// rules and no game by name.

import { gameKey, svg, t, tOr } from "./page.js";

/** @import { Look } from "./board.js" */
/** @import { Mark } from "./page.js" */

/** The size of a cell. */
export const UNIT = 100;

/** The server makes it of the folders of all games. */
const LOOKS = "/static/games/looks.js";

/** @type {Promise<Record<string, Look>> | undefined} */
let loaded;

/** Loads how games look, once, and returns it of one. @param {string} game @returns {Promise<Look>} */
export async function loadLook(game) {
  loaded ??= fetchLooks();
  return (await loaded)[game];
}

/** @returns {Promise<Record<string, Look>>} */
async function fetchLooks() {
  const { looks, style, pieces } = await import(LOOKS);
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style);
  document.adoptedStyleSheets.push(sheet);
  for (const symbols of new DOMParser().parseFromString(pieces, "text/html").querySelectorAll("svg")) {
    symbols.setAttribute("class", "symbols");
    document.body.append(document.importNode(symbols, true));
  }
  return looks;
}

/** Returns whether a mark shows nothing: an empty cell. @param {Mark | undefined} mark */
export const isEmpty = (mark) => !mark || (mark.side === undefined && mark.tone === undefined && !mark.piece);

/**
 * Returns what a mark shows, around (0, 0): its symbol, or its text where it has none; null for an empty cell.
 * @param {string} game @param {Mark} mark
 */
export function drawMark(game, mark) {
  const { text, side, piece } = mark;
  if (isEmpty(mark)) return null;
  if (!piece) return svg("text.plain", { class: `side${side ?? 2}`, y: 16 }, text);
  const place = { x: -UNIT / 2, y: -UNIT / 2, width: UNIT, height: UNIT };
  return svg("use", { href: `#${gameKey(game, piece).replace(".", "-")}`, class: `piece-${piece}`, ...place });
}

/** Returns what a mark is called. @param {string} game @param {Mark} mark */
export function markName(game, mark) {
  const { text, side, piece } = mark;
  if (isEmpty(mark)) return t("cell.empty");
  const key = gameKey(game, `cell.${side === undefined ? piece : ["first", "second"][side]}`);
  return tOr(key, text, { n: text.replace(/\D/g, "") });
}
