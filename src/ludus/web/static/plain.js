// The look of a game without a board.js: a plain bed and no motion.

/** @type {import("./board.js").Look} */
export const look = { steps: {} };
