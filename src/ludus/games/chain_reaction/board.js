// How Chain Reaction moves: orbs in dark glass, and a chain that spreads cell by cell.

import { drawMark } from "/static/look.js";
import { svg } from "/static/page.js";

/** @import { Look } from "/static/board.js" */
/** @import { Cell } from "/static/page.js" */

/** @type {Look} */
export const look = {
  pad: 16,
  cell: () => ({ rx: 16 }),
  steps: {
    async place(board, step) {
      board.set(step.board);
      await Promise.all(
        step.cells.map((cell) =>
          board.animate(
            board.piece(cell),
            [
              { transform: "scale(.3)", opacity: 0.2 },
              { transform: "scale(1.18)", offset: 0.6, opacity: 1 },
              { transform: "none" },
            ],
            { part: 0.7 },
          ),
        ),
      );
    },
    async explode(board, step, _was, side) {
      const { rows, cols } = board.frame;
      const flights = step.cells.flatMap((cell) => {
        const [row, col] = cell;
        const [x, y] = board.center(cell);
        const wave = svg("circle", { cx: x, cy: y, r: 48, class: `wave side${side}` });
        const away = /** @type {Cell[]} */ ([
          [row - 1, col],
          [row + 1, col],
          [row, col - 1],
          [row, col + 1],
        ]).filter(([r, c]) => r >= 0 && c >= 0 && r < rows && c < cols);
        const burst = board.animate(
          board.piece(cell),
          [
            { transform: "none", opacity: 1 },
            { transform: "scale(1.45)", opacity: 0 },
          ],
          { part: 0.5, fill: "forwards" },
        );
        wave.style.transformOrigin = `${x}px ${y}px`;
        return [
          burst,
          board.flash(wave, [
            { transform: "scale(.4)", opacity: 0.9 },
            { transform: "scale(2.1)", opacity: 0 },
          ]),
          ...away.map((to) => {
            const [u, v] = board.center(to);
            const flying = svg("g", drawMark(board.frame.game, { text: "", piece: ["r1", "b1"][side] }));
            return board.flash(
              flying,
              [
                { transform: `translate(${x}px, ${y}px) scale(.62)` },
                { transform: `translate(${u}px, ${v}px) scale(.78)` },
              ],
              { part: 0.85, easing: "cubic-bezier(.2,.7,.3,1)" },
            );
          }),
        ];
      });
      await Promise.all(flights);
    },
  },
};
