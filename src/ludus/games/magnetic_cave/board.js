// How Magnetic Cave moves: a cave between two magnetic walls, and bricks that slide along their row until they hold.

import { lineStrokes, showLine } from "/static/lines.js";
import { svg } from "/static/page.js";

/** @import { Look } from "/static/board.js" */

/** @param {number} x @param {number} rows @param {string} id @param {boolean} right */
function wall(x, rows, id, right) {
  const lines = Array.from({ length: rows }, (_, row) =>
    svg("path.pull", {
      d: right ? `M${x} ${row * 100 + 50} h-9 m4 -5 l-5 5 l5 5` : `M${x + 26} ${row * 100 + 50} h9 m-4 -5 l5 5 l-5 5`,
    }),
  );
  return svg(
    "g.wall",
    svg("rect", { x, y: -14, width: 26, height: rows * 100 + 28, rx: 8, fill: `url(#${id}-iron)` }),
    svg("rect.pole0", { x, y: -14, width: 26, height: 44, rx: 8 }),
    svg("rect.pole1", { x, y: rows * 100 - 30, width: 26, height: 44, rx: 8 }),
    ...lines,
  );
}

/** @type {Look} */
export const look = {
  pad: 40,
  defs: (id) => [
    svg(
      "linearGradient",
      { id: `${id}-iron`, x1: 0, x2: 1, y1: 0, y2: 0 },
      svg("stop", { offset: 0, "stop-color": "#5b6270" }),
      svg("stop", { offset: 0.5, "stop-color": "#aab2c0" }),
      svg("stop", { offset: 1, "stop-color": "#4a505c" }),
    ),
  ],
  ground: ({ rows, cols }, id) => [
    svg("rect.bed", { x: -8, y: -14, width: cols * 100 + 16, height: rows * 100 + 28, rx: 10 }),
    wall(-36, rows, id, false),
    wall(cols * 100 + 10, rows, id, true),
  ],
  cell: () => ({ rx: 6 }),
  steps: {
    async place(board, step, was) {
      const [row, col] = step.cells[0];
      const free = (/** @type {number} */ at) =>
        at >= 0 && at < board.frame.cols && board.mark(was, [row, at])?.side === undefined;
      let from = col;
      const way = free(col - 1) && !free(col + 1) ? -1 : 1;
      while (free(from + way)) from += way;
      board.set(step.board);
      const far = (from - col) * 100;
      await board.animate(
        board.piece([row, col]),
        [
          { transform: `translateX(${far}px) scale(.7)`, opacity: 0, easing: "ease-out" },
          { transform: `translateX(${far}px)`, opacity: 1, offset: 0.25, easing: "cubic-bezier(.6,0,.9,.6)" },
          { transform: "translateX(0) scale(.9,1.06)", offset: 0.85 },
          { transform: "none" },
        ],
        { part: 1.2 },
      );
    },
    line: (board, step, _was, side) => showLine(board, step, side),
  },
  traces: { line: lineStrokes },
};
