// The look of a game without a board.js: a plain ground and no motion.

import { svg } from "./page.js";

/** @type {import("./board.js").Look} */
export const look = {
  ground: ({ rows, cols }) => [
    svg("rect.bed", { x: -10, y: -10, width: cols * 100 + 20, height: rows * 100 + 20, rx: 20 }),
  ],
  steps: {},
};
