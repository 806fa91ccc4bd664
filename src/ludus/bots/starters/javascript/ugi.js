// Talks to the arena in the protocol `ugi`: the whole game and the clock before every move. Put your own ideas into
// search.js.
//
// Standard output is only for the protocol; use console.error when you debug.
"use strict";

const readline = require("readline");
const { State, options } = require("./rules.js");
const { choose } = require("./search.js");

let state = null;

/** Reads `position fen TEXT moves M1 M2 ...`: the start, and every move since. */
function readPosition(line) {
  const [text, moves] = line.trim().slice("position fen ".length).split(" moves ");
  const played = moves ? moves.trim().split(/\s+/) : [];
  return played.reduce((at, move) => at.play(move), State.parse(text));
}

/** Reads `go movetime MS`, or `go p1time MS p2time MS ...`: from a bank, each move gets a small part. */
function readSeconds(words, side) {
  const after = (word) => (words.includes(word) ? Number(words[words.indexOf(word) + 1]) / 1000 : null);
  const perMove = after("movetime");
  return perMove !== null ? perMove * 0.8 : (after(`p${side + 1}time`) || 40) / 40;
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const words = line.trim().split(/\s+/);
  if (words[0] === "ugi") console.log("id name starter\nugiok");
  if (words[0] === "isready") console.log("readyok");
  if (words[0] === "setoption" && words[2] in options) {
    // setoption name NAME value VALUE: an option of the game that differs from its default
    options[words[2]] = typeof options[words[2]] === "number" ? Number(words[4]) : words[4];
  }
  if (words[0] === "position") state = readPosition(line);
  if (words[0] === "go") console.log(`bestmove ${choose(state, readSeconds(words, state.side))}`);
  if (words[0] === "quit") process.exit(0);
});
