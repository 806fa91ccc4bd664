// Talks to the arena in the protocol `lines`: moves, one a line. Your own thoughts go to search.js.
//
// Standard output belongs to the conversation; use console.error when you debug.
"use strict";

const readline = require("readline");
const { State } = require("./rules.js");
const { choose } = require("./search.js");

const SECONDS = 1.0; // this protocol does not tell the clock: set what your course allows for a move, less a little
const me = process.argv[2] === "first" ? 0 : 1;
let state = null;

/** Plays while it is our turn: in Cantris that may be twice. */
function answer() {
  while (state.side === me && state.legalMoves().length > 0) {
    const move = choose(state, SECONDS);
    console.log(move);
    state = state.play(move);
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  state = state === null ? State.parse(line) : state.play(line.trim());
  answer();
});
