// How The Fruit Rage moves: fruits in a crate; claimed ones burst, the rest fall.

import { svg } from "/static/page.js";

/** @import { Look } from "/static/board.js" */

/** @type {Look} */
export const look = {
  pad: 14,
  cell: () => ({ rx: 14 }),
  steps: {
    async claim(board, step, _was, side) {
      const first = step.cells[0];
      await Promise.all(
        step.cells.flatMap((cell) => {
          const [x, y] = board.center(cell);
          const delay = Math.min(160, 22 * (Math.abs(cell[0] - first[0]) + Math.abs(cell[1] - first[1])));
          const ring = svg("circle", { cx: x, cy: y, r: 40, class: `wave side${side}` });
          ring.style.transformOrigin = `${x}px ${y}px`;
          return [
            board.animate(
              board.piece(cell),
              [
                { transform: "none", opacity: 1 },
                { transform: "scale(1.25) rotate(8deg)", opacity: 1, offset: 0.4 },
                { transform: "scale(.1) rotate(-30deg)", opacity: 0 },
              ],
              { delay, fill: "both" },
            ),
            board.flash(
              ring,
              [
                { transform: "scale(.5)", opacity: 0 },
                { transform: "scale(.8)", opacity: 0.8, offset: 0.4 },
                { transform: "scale(1.3)", opacity: 0 },
              ],
              { delay },
            ),
          ];
        }),
      );
    },
    fall: (board, step, was) => board.fall(was, step.board),
  },
};
