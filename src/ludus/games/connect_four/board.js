// How Connect Four moves: a click anywhere in a column drops a disc into the frame; a line that wins is struck through.

import { lineStrokes, showLine } from "/static/lines.js";

/** @type {import("/static/board.js").Look} */
export const look = {
  pad: 14,
  cell: () => ({ rx: 47 }),
  targets: ([, col], { rows }) => Array.from({ length: rows }, (_, row) => [row, col]),
  steps: {
    async place(board, step) {
      const [row, col] = step.cells[0];
      board.set(step.board);
      const fall = [
        { transform: `translateY(${-(row + 1) * 100}px)`, easing: "cubic-bezier(.5,0,.9,.55)" },
        { transform: "none", offset: 0.8, easing: "ease-out" },
        { transform: "scale(1.06,.94)", offset: 0.88 },
        { transform: "none" },
      ];
      await board.animate(board.piece([row, col]), fall, { part: 0.8 + row * 0.1 });
    },
    line: (board, step, _was, side) => showLine(board, step, side),
  },
  traces: { line: lineStrokes },
};
