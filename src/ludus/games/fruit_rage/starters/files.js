// Talks to the arena in the protocol `files`, as the Fruit Rage course does: started for every move, reads
// input.txt, writes output.txt. Put your own ideas into search.js.
//
// input.txt: the size of the board, the number of fruit types, the seconds left for the whole game, the rows.
// output.txt: the move, then the rows of the board after the fruits have fallen.
"use strict";

const fs = require("fs");
const { State } = require("./rules.js");
const { choose } = require("./search.js");

const [size, , seconds, ...rows] = fs.readFileSync("input.txt", "utf8").split(/\s+/);
const state = new State(rows.slice(0, Number(size)).map((row) => [...row]));
const move = choose(state, Number(seconds) / 40);
const after = state.play(move).rows.map((row) => row.join(""));
fs.writeFileSync("output.txt", [move, ...after, ""].join("\n"));
