// The look of a game without a board.js: its marks as characters in the players' colours.

import { svg } from "./page.js";

/** @type {import("./board.js").Look} */
export const look = {
  ground: ({ rows, cols }) => [
    svg("rect", { x: -10, y: -10, width: cols * 100 + 20, height: rows * 100 + 20, rx: 20, class: "crate" }),
  ],
  piece: ({ text, side, tone }) =>
    side === undefined && tone === undefined ? null : svg("text", { class: `plain side${side ?? 2}`, y: 16 }, text),
  steps: {},
};
