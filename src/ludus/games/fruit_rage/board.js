// How The Fruit Rage looks: ten fruits drawn as fruits, each with its own outline; claimed ones burst, the rest fall.

import { svg, t } from "/static/page.js";

/** @typedef {import("/static/board.js").Look} Look */

/** @param {string} d @param {Record<string, any>} [more] */
const path = (d, more = {}) => svg("path", { d, ...more });
/** @param {number} cx @param {number} cy @param {number} r @param {string} fill @param {Record<string, any>} [more] */
const dot = (cx, cy, r, fill, more = {}) => svg("circle", { cx, cy, r, fill, ...more });
const LEAF = "M2 -26 C8 -42 26 -42 30 -36 C26 -24 12 -20 2 -26 Z";
const shine = (/** @type {number} */ x, /** @type {number} */ y, rx = 9, ry = 5) =>
  svg("ellipse", { cx: x, cy: y, rx, ry, fill: "#fff", opacity: 0.55, transform: `rotate(-35 ${x} ${y})` });
const stem = (d = "M0 -22 C0 -32 3 -38 8 -42") =>
  path(d, { fill: "none", stroke: "#6b4423", "stroke-width": 5, "stroke-linecap": "round" });

/** The fruits by their numbers. @type {(() => SVGElement[])[]} */
const FRUITS = [
  // apple
  () => [
    path("M0 -20 C-14 -32 -40 -26 -38 4 C-36 30 -18 42 0 34 C18 42 36 30 38 4 C40 -26 14 -32 0 -20 Z", {
      fill: "#e23b3b",
      stroke: "#9c1f25",
      "stroke-width": 3,
    }),
    stem(),
    path("M4 -27 C8 -40 24 -42 30 -38 C26 -26 14 -22 4 -27 Z", { fill: "#58a63a" }),
    shine(-20, -6),
  ],
  // blueberry
  () => [
    dot(0, 4, 35, "#4a63c8", { stroke: "#27378a", "stroke-width": 3 }),
    path("M0 -22 L5 -12 L16 -14 L10 -4 L16 6 L5 4 L0 14 L-5 4 L-16 6 L-10 -4 L-16 -14 L-5 -12 Z", {
      fill: "#27378a",
      transform: "translate(0 -6) scale(.8)",
    }),
    shine(-19, -2, 8, 4),
  ],
  // kiwi
  () => [
    svg("ellipse", { cx: 0, cy: 2, rx: 40, ry: 35, fill: "#7a5a2e" }),
    svg("ellipse", { cx: 0, cy: 2, rx: 34, ry: 29, fill: "#8cc63f" }),
    svg("ellipse", { cx: 0, cy: 2, rx: 12, ry: 10, fill: "#f1f6cf" }),
    ...Array.from({ length: 10 }, (_, i) => {
      const a = (i * Math.PI) / 5;
      return svg("ellipse", {
        cx: 21 * Math.cos(a),
        cy: 2 + 18 * Math.sin(a),
        rx: 3,
        ry: 4.5,
        fill: "#2f3b12",
        transform: `rotate(${i * 36 + 90} ${21 * Math.cos(a)} ${2 + 18 * Math.sin(a)})`,
      });
    }),
  ],
  // banana
  () => [
    path("M-34 -20 C-30 20 4 42 38 24 C42 20 40 14 35 15 C14 18 -12 4 -20 -26 C-24 -34 -34 -30 -34 -20 Z", {
      fill: "#ffd23c",
      stroke: "#b78a08",
      "stroke-width": 3,
    }),
    path("M-34 -20 L-36 -34 L-26 -36 L-20 -26", { fill: "#7b5b12" }),
    path("M-24 -8 C-14 14 8 27 30 22", {
      fill: "none",
      stroke: "#d9a514",
      "stroke-width": 3,
      "stroke-linecap": "round",
    }),
  ],
  // orange
  () => [
    dot(0, 4, 36, "#ff9a24", { stroke: "#c4650a", "stroke-width": 3 }),
    ...[
      [-12, 14],
      [10, 20],
      [16, 2],
      [-2, 0],
      [-20, 0],
      [4, -14],
    ].map(([x, y]) => dot(x, y, 2, "#d87510")),
    path(LEAF, { fill: "#4f9a35", transform: "translate(-4 0)" }),
    shine(-17, -10),
  ],
  // grape
  () => [
    stem("M0 -24 L0 -42"),
    ...[
      [-20, -14],
      [0, -16],
      [20, -14],
      [-11, 4],
      [11, 4],
      [0, 22],
      [0, -2],
    ].map(([x, y]) => dot(x, y, 13, "#9457c6", { stroke: "#5d2f8a", "stroke-width": 2.5 })),
    ...[
      [-24, -18],
      [-4, -20],
      [16, -18],
      [-15, 0],
      [7, 0],
      [-4, 18],
    ].map(([x, y]) => dot(x, y, 3.5, "#fff", { opacity: 0.55 })),
    path("M2 -36 C14 -46 28 -38 30 -30 C20 -26 8 -28 2 -36 Z", { fill: "#58a63a" }),
  ],
  // pear
  () => [
    path("M0 -30 C-14 -30 -13 -10 -20 2 C-38 22 -24 42 0 41 C24 42 38 22 20 2 C13 -10 14 -30 0 -30 Z", {
      fill: "#c6d63c",
      stroke: "#84931a",
      "stroke-width": 3,
    }),
    stem("M0 -28 C0 -36 2 -42 6 -46"),
    shine(-14, 12, 9, 5),
    dot(12, 22, 2, "#84931a"),
    dot(4, 30, 2, "#84931a"),
  ],
  // strawberry
  () => [
    path("M0 42 C-26 30 -42 2 -34 -14 C-26 -28 26 -28 34 -14 C42 2 26 30 0 42 Z", {
      fill: "#f0506e",
      stroke: "#a81e40",
      "stroke-width": 3,
    }),
    path("M-30 -20 L-12 -24 L0 -40 L12 -24 L30 -20 L14 -10 L0 -14 L-14 -10 Z", { fill: "#4f9a35" }),
    ...[
      [-16, 0],
      [0, -2],
      [16, 0],
      [-9, 14],
      [9, 14],
      [0, 27],
    ].map(([x, y]) => svg("ellipse", { cx: x, cy: y, rx: 2.6, ry: 4, fill: "#ffe9a8" })),
  ],
  // cherry
  () => [
    path("M-16 12 C-12 -14 4 -30 22 -38 M18 14 C20 -8 22 -24 22 -38", {
      fill: "none",
      stroke: "#4f7a2a",
      "stroke-width": 4.5,
      "stroke-linecap": "round",
    }),
    dot(-17, 20, 19, "#b3123f", { stroke: "#6d0726", "stroke-width": 3 }),
    dot(20, 22, 18, "#c71a4a", { stroke: "#6d0726", "stroke-width": 3 }),
    shine(-24, 13, 5, 3),
    shine(14, 15, 5, 3),
  ],
  // watermelon
  () => [
    path("M-42 -14 A42 42 0 0 0 42 -14 Z", { fill: "#2f8a48", transform: "translate(0 -2)" }),
    path("M-36 -14 A36 36 0 0 0 36 -14 Z", { fill: "#f4f8e6", transform: "translate(0 -2)" }),
    path("M-32 -14 A32 32 0 0 0 32 -14 Z", { fill: "#ff5c5c", transform: "translate(0 -2)" }),
    ...[
      [-14, -4],
      [0, -2],
      [14, -4],
      [-7, 9],
      [7, 9],
    ].map(([x, y]) => svg("ellipse", { cx: x, cy: y, rx: 2.5, ry: 4, fill: "#33201a" })),
  ],
];

/** @type {Look} */
export const look = {
  pad: 14,
  ground: ({ rows, cols }) => [
    svg("rect", { x: -14, y: -14, width: cols * 100 + 28, height: rows * 100 + 28, rx: 24, class: "crate" }),
  ],
  cell: () => ({ rx: 14 }),
  piece: ({ tone }) => (tone === undefined ? null : svg("g", { class: "fruit" }, ...FRUITS[tone % FRUITS.length]())),
  name: ({ tone }) => (tone === undefined ? null : t(`fruit.${tone}`)),
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
