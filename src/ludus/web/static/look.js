// How games look: loads a game's pieces, style sheet and motion from its own folder, and draws and names its marks.
// Knows no rules and no game by name.

import { applyStyle, gameKey, svg, t, tOr } from "./page.js";

/** @typedef {import("./board.js").Look} Look */
/** @typedef {import("./page.js").Mark} Mark */

/** The size of a cell. */
export const UNIT = 100;

/** @type {Map<string, Promise<Look>>} */
const looks = new Map();

/** Loads how a game looks, with its pieces and its style sheet. @param {string} game @returns {Promise<Look>} */
export function loadLook(game) {
  const known = looks.get(game) ?? fetchLook(`/static/games/${game}`);
  looks.set(game, known);
  return known;
}

/** @param {string} folder */
async function fetchLook(folder) {
  const [module, pieces] = await Promise.all([
    import(`${folder}/board.js`),
    fetch(`${folder}/pieces.svg`).then((answer) => (answer.ok ? answer.text() : "")),
    applyStyle(`${folder}/style.css`),
  ]);
  if (pieces) {
    const symbols = new DOMParser().parseFromString(pieces, "image/svg+xml").documentElement;
    symbols.setAttribute("class", "symbols");
    document.body.append(document.importNode(symbols, true));
  }
  return module.look;
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
