// Talks to the arena in the protocol `files`: started once a move, reads input.txt, leaves output.txt. Your own
// thoughts go to search.js.
//
// Line 1 of input.txt is the position, line 2 the seconds that are left. output.txt holds the move.
"use strict";

const fs = require("fs");
const { State } = require("./rules.js");
const { choose } = require("./search.js");

const [position, seconds] = fs.readFileSync("input.txt", "utf8").split("\n");
fs.writeFileSync("output.txt", `${choose(State.parse(position), Number(seconds) / 40)}\n`);
