// How Chain Reaction looks: glowing orbs in dark glass, which tremble when they are one short of exploding, and a chain
// that ripples outwards. First's orbs are full, second's have an eye: the owners differ in shape, not in colour alone.

import { svg, t } from "/static/page.js";

/** @typedef {import("/static/board.js").Look} Look */
/** @typedef {import("/static/page.js").Cell} Cell */

const COLOURS = [
  { light: "#ffd9b8", middle: "#f2753f", dark: "#a33a12" },
  { light: "#d7eeff", middle: "#4aa8f0", dark: "#17588f" },
];
/** The places and sizes of one to four orbs in a cell. */
const PLACES = [
  [],
  [[0, 0]],
  [
    [-17, 0],
    [17, 0],
  ],
  [
    [0, -19],
    [-19, 13],
    [19, 13],
  ],
  [
    [-18, -18],
    [18, -18],
    [-18, 18],
    [18, 18],
  ],
];
const SIZES = [0, 27, 22, 20, 18];

/** @param {string} id @param {number} side @param {number} size */
function orb(id, side, size) {
  return svg(
    "g",
    {},
    svg("circle", { r: size * 1.45, fill: `url(#${id}-glow${side})`, class: "halo" }),
    svg("circle", { r: size, fill: `url(#${id}-orb${side})` }),
    side === 1 && svg("circle", { r: size * 0.42, fill: "#0d2c49", opacity: 0.85 }),
    svg("ellipse", {
      cx: -size * 0.32,
      cy: -size * 0.42,
      rx: size * 0.3,
      ry: size * 0.2,
      fill: "#fff",
      opacity: 0.75,
      transform: "rotate(-35)",
    }),
  );
}

/** @type {Look} */
export const look = {
  pad: 16,
  defs: (id) =>
    COLOURS.flatMap(({ light, middle, dark }, side) => [
      svg(
        "radialGradient",
        { id: `${id}-orb${side}`, cx: 0.36, cy: 0.3, r: 0.8 },
        svg("stop", { offset: 0, "stop-color": light }),
        svg("stop", { offset: 0.42, "stop-color": middle }),
        svg("stop", { offset: 1, "stop-color": dark }),
      ),
      svg(
        "radialGradient",
        { id: `${id}-glow${side}` },
        svg("stop", { offset: 0.5, "stop-color": middle, "stop-opacity": 0.55 }),
        svg("stop", { offset: 1, "stop-color": middle, "stop-opacity": 0 }),
      ),
    ]),
  ground: ({ rows, cols }) => [
    svg("rect", { x: -16, y: -16, width: cols * 100 + 32, height: rows * 100 + 32, rx: 26, class: "glass" }),
  ],
  cell: () => ({ rx: 16 }),
  piece: ({ text, side, strong }, id) => {
    if (text === "#")
      return svg(
        "g",
        { class: "rubble" },
        svg("path", { d: "M-30 24 L-18 -6 L-4 8 L10 -20 L30 22 Z" }),
        svg("path", { d: "M-34 30 H34", "stroke-width": 5 }),
      );
    if (side === undefined) return null;
    const orbs = Number(text.slice(1));
    const shown = Math.min(orbs, 4);
    const group = svg(
      "g",
      { class: `orbs of${shown}` },
      ...PLACES[shown].map(([x, y]) => svg("g", { transform: `translate(${x} ${y})` }, orb(id, side, SIZES[shown]))),
    );
    return svg(
      "g",
      { class: strong ? "trembles" : "rests" },
      strong && svg("circle", { r: 50, fill: `url(#${id}-glow${side})`, class: "charge" }),
      group,
      orbs > 4 && svg("text", { class: "count", y: 14 }, String(orbs)),
    );
  },
  name: ({ text, side }) =>
    side === undefined
      ? text === "#"
        ? t("cell.dead")
        : null
      : t(side === 0 ? "cell.red" : "cell.blue", { n: text.slice(1) }),
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
            const flying = svg("g", {}, orb(board.id, side, 21));
            return board.flash(
              flying,
              [
                { transform: `translate(${x}px, ${y}px) scale(.8)` },
                { transform: `translate(${u}px, ${v}px) scale(1)` },
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
