// How Magnetic Cave moves: a cave between two magnetic walls, and bricks that slide along their row until they hold.

import { svg } from "/static/page.js";

/** @typedef {import("/static/board.js").Board} Board */
/** @typedef {import("/static/board.js").Look} Look */
/** @typedef {import("/static/page.js").Cell} Cell */

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

/** The directions of a line: row, column, both diagonals. @type {Cell[]} */
const WAYS = [
  [0, 1],
  [1, 0],
  [1, 1],
  [1, -1],
];

/**
 * Returns the ends of each completed line: a brick can complete more than one.
 * @param {Cell[]} cells @param {number} length
 */
function lines(cells, length) {
  const among = new Set(cells.map(String));
  const has = (/** @type {number} */ row, /** @type {number} */ col) => among.has(`${row},${col}`);
  return WAYS.flatMap(([down, right]) =>
    cells
      .filter(([row, col]) => !has(row - down, col - right))
      .flatMap(([row, col]) => {
        let reach = 1;
        while (has(row + reach * down, col + reach * right)) reach += 1;
        /** @type {[Cell, Cell]} */
        const ends = [
          [row, col],
          [row + (reach - 1) * down, col + (reach - 1) * right],
        ];
        return reach >= length ? [ends] : [];
      }),
  );
}

/**
 * Returns the strokes through completed lines, with a border that sets them off from bricks of the same colour.
 * @param {Board} board @param {import("/static/page.js").Step} step @param {number} side
 */
function strokes(board, step, side) {
  return lines(step.cells, Number(board.frame.options.line)).map(([from, to]) => {
    const [[x1, y1], [x2, y2]] = [board.center(from), board.center(to)];
    const stroke = (/** @type {string} */ part) => svg("line", { x1, y1, x2, y2, class: part, pathLength: 1 });
    return svg("g", { class: `winning side${side}` }, stroke("border"), stroke("core"));
  });
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
    async line(board, step, _was, side) {
      const drawn = [{ strokeDasharray: "0 1" }, { strokeDasharray: "1 0", offset: 0.6 }, { strokeDasharray: "1 0" }];
      const swells = [{ transform: "none" }, { transform: "scale(1.14)", offset: 0.5 }, { transform: "none" }];
      await Promise.all([
        ...strokes(board, step, side).map((stroke) => board.flash(stroke, drawn, { part: 1.6 })),
        ...step.cells.map((cell, at) => board.animate(board.piece(cell), swells, { part: 0.8, delay: at * 60 })),
      ]);
    },
  },
  traces: { line: strokes },
};
