// How Cantris moves: tiles in a jar; runs pop as a row.

import { svg } from "/static/page.js";

/** @import { Board, Look } from "/static/board.js" */
/** @import { Step } from "/static/page.js" */

/** @type {Look} */
export const look = {
  pad: 14,
  cell: () => ({ rx: 18 }),
  steps: {
    async remove(board, step) {
      await Promise.all(
        step.cells.map((cell) =>
          board.animate(
            board.piece(cell),
            [
              { transform: "none", opacity: 1 },
              { transform: "scale(1.2) rotate(-6deg)", offset: 0.35 },
              { transform: "scale(.2) rotate(25deg)", opacity: 0 },
            ],
            { part: 0.8, fill: "both" },
          ),
        ),
      );
    },
    async run(board, step, _was, side) {
      await Promise.all(
        step.cells.flatMap((cell, index) => {
          const [x, y] = board.center(cell);
          const star = svg(
            "g",
            { class: `spark side${side}` },
            ...[0, 60, 120, 180, 240, 300].map((turn) =>
              svg("circle", { cx: 0, cy: -46, r: 7, transform: `rotate(${turn})` }),
            ),
          );
          const delay = index * 45;
          return [
            board.animate(
              board.piece(cell),
              [
                { transform: "none", opacity: 1 },
                { transform: "scale(1.22)", opacity: 1, offset: 0.45 },
                { transform: "scale(0)", opacity: 0 },
              ],
              { part: 1.1, delay, fill: "both" },
            ),
            board.flash(
              star,
              [
                { transform: `translate(${x}px, ${y}px) scale(.3)`, opacity: 0 },
                { transform: `translate(${x}px, ${y}px) scale(.9)`, opacity: 1, offset: 0.5 },
                { transform: `translate(${x}px, ${y}px) scale(1.5)`, opacity: 0 },
              ],
              { part: 1.1, delay },
            ),
          ];
        }),
      );
    },
    fall: (board, step, was) => board.fall(was, step.board),
    empty: (board, step, _was, side) =>
      Promise.all(emptyColumns(board, step, side).map((frame) => board.flash(frame, [{ opacity: 0 }, { opacity: 1 }]))),
  },
  traces: { empty: emptyColumns },
};

/**
 * Returns a frame around each column that is empty: it ended the game.
 * @param {Board} board @param {Step} step @param {number} side
 */
function emptyColumns(board, { cells }, side) {
  const height = 100 * board.frame.rows - 12;
  return cells
    .filter(([row]) => row === 0)
    .map(([, col]) => svg("rect", { x: 100 * col + 6, y: 6, width: 88, height, rx: 18, class: `winning side${side}` }));
}
