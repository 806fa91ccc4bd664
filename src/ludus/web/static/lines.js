// Lines of pieces that win a game: finds them among the cells of a step, and draws them as strokes. For the looks of
// games whose last step is a "line"; knows no game by name.

import { svg } from "./page.js";

/** @import { Board } from "./board.js" */
/** @import { Cell, Step } from "./page.js" */

/** The directions of a line: row, column, both diagonals. @type {Cell[]} */
const DIRECTIONS = [
  [0, 1],
  [1, 0],
  [1, 1],
  [1, -1],
];

/**
 * Returns the ends of each completed line: a piece can complete more than one.
 * @param {Cell[]} cells @param {number} length @returns {[Cell, Cell][]}
 */
function findLines(cells, length) {
  const among = new Set(cells.map(String));
  const has = (/** @type {number} */ row, /** @type {number} */ col) => among.has(`${row},${col}`);
  return DIRECTIONS.flatMap(([down, right]) =>
    cells
      .filter(([row, col]) => !has(row - down, col - right))
      .flatMap(([row, col]) => {
        let reach = 1;
        while (has(row + reach * down, col + reach * right)) reach += 1;
        /** @type {Cell} */
        const end = [row + (reach - 1) * down, col + (reach - 1) * right];
        return reach >= length ? [/** @type {[Cell, Cell]} */ ([[row, col], end])] : [];
      }),
  );
}

/**
 * Returns the strokes through completed lines, with a border that sets them off from pieces of the same colour. The
 * length of a line is the option `line` of the game.
 * @param {Board} board @param {Step} step @param {number} side
 */
export function lineStrokes(board, step, side) {
  return findLines(step.cells, Number(board.frame.options.line)).map(([from, to]) => {
    const [[x1, y1], [x2, y2]] = [board.center(from), board.center(to)];
    const stroke = (/** @type {string} */ part) => svg("line", { x1, y1, x2, y2, class: part, pathLength: 1 });
    return svg("g.winning", { class: `side${side}` }, stroke("border"), stroke("core"));
  });
}

/** Shows a completed line in motion. @param {Board} board @param {Step} step @param {number} side */
export function showLine(board, step, side) {
  const drawn = [{ strokeDasharray: "0 1" }, { strokeDasharray: "1 0", offset: 0.6 }, { strokeDasharray: "1 0" }];
  const swells = [{ transform: "none" }, { transform: "scale(1.14)", offset: 0.5 }, { transform: "none" }];
  return Promise.all([
    ...lineStrokes(board, step, side).map((stroke) => board.flash(stroke, drawn, { part: 1.6 })),
    ...step.cells.map((cell, at) => board.animate(board.piece(cell), swells, { part: 0.8, delay: at * 60 })),
  ]);
}
