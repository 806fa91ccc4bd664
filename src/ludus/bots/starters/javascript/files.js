// Talks to the arena in the protocol `files`: started for every move, reads input.txt, writes output.txt. Put
// your own ideas into search.js.
//
// Line 1 of input.txt is the position, line 2 the seconds left. output.txt gets the move.
"use strict";

const fs = require("fs");
const { State } = require("./rules.js");
const { choose } = require("./search.js");

const [position, seconds] = fs.readFileSync("input.txt", "utf8").split("\n");
fs.writeFileSync("output.txt", `${choose(State.parse(position), Number(seconds) / 40)}\n`);
