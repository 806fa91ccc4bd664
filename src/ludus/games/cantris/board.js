// How Cantris looks: candy tiles with large numbers, each number with its own colour and pattern; runs pop as a row.

import { svg, t } from "/static/page.js";

/** @typedef {import("/static/board.js").Look} Look */

const CANDY = [
  ["#cfd4dd", "#8e97a8"],
  ["#ffb3c7", "#e8648c"],
  ["#a8dcff", "#3f97dd"],
  ["#b5ecc0", "#3fae62"],
  ["#ffe08a", "#e3a51c"],
  ["#d7b9ff", "#8f5bd6"],
  ["#ffc19a", "#e8712f"],
  ["#a5ece6", "#2aa39a"],
  ["#f4b8ee", "#c14eb4"],
  ["#d8e58a", "#8ea31f"],
];
const INK = [
  "#333a48",
  "#7d1238",
  "#0b3d69",
  "#0e4d22",
  "#5f4000",
  "#3c1470",
  "#6b2a05",
  "#073f3b",
  "#5c1254",
  "#3d480a",
];

/** Returns as many sprinkles as the number says. @param {number} number @param {string} ink */
function sprinkles(number, ink) {
  return Array.from({ length: number }, (_, i) => {
    const x = (i - (number - 1) / 2) * Math.min(14, 70 / number);
    return svg("rect", { x: x - 3, y: 27, width: 6, height: 6, rx: 3, fill: ink, opacity: 0.7 });
  });
}

/** @type {Look} */
export const look = {
  pad: 14,
  defs: (id) =>
    CANDY.map(([light, dark], tone) =>
      svg(
        "linearGradient",
        { id: `${id}-candy${tone}`, x1: 0, x2: 0.3, y1: 0, y2: 1 },
        svg("stop", { offset: 0, "stop-color": light }),
        svg("stop", { offset: 1, "stop-color": dark }),
      ),
    ),
  ground: ({ rows, cols }) => [
    svg("rect", { x: -14, y: -14, width: cols * 100 + 28, height: rows * 100 + 28, rx: 24, class: "jar" }),
  ],
  cell: () => ({ rx: 18 }),
  piece: ({ tone, text }, id) => {
    if (tone === undefined) return null;
    return svg(
      "g",
      { class: "candy" },
      svg("rect", {
        x: -44,
        y: -44,
        width: 88,
        height: 88,
        rx: 22,
        fill: `url(#${id}-candy${tone})`,
        stroke: INK[tone],
        "stroke-opacity": 0.35,
        "stroke-width": 3,
      }),
      svg("path", {
        d: "M-30 -32 C-18 -39 16 -39 28 -33",
        fill: "none",
        stroke: "#fff",
        "stroke-width": 7,
        "stroke-linecap": "round",
        opacity: 0.7,
      }),
      svg("text", { y: 15, class: "number", fill: INK[tone] }, text),
      ...sprinkles(tone, INK[tone]),
    );
  },
  name: ({ tone, text }) => (tone === undefined ? null : t("cell.tile", { n: text })),
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
  },
};
