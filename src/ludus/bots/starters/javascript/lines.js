// Talks to the arena in the protocol `lines`: one move per line. Put your own ideas into search.js.
//
// Standard output is only for the protocol; use console.error when you debug.
"use strict";

const readline = require("readline");
const { State } = require("./rules.js");
const { choose } = require("./search.js");

const SECONDS = 1.0; // this protocol does not send the clock: set a bit less than your course allows per move
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
