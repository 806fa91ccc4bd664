// The rules of Magnetic Cave: positions as text, the legal moves, and what a move does.
"use strict";

const options = {
  line: 5, // this many bricks of one player in a row, a column or a diagonal win
};
const DIRECTIONS = [
  [0, 1],
  [1, 0],
  [1, 1],
  [1, -1],
];

/** A position. `play` returns a new one and does not change this one, so you can look ahead freely. */
class State {
  constructor(cells, side) {
    this.cells = cells; // cells[row][col]: "x" first player, "o" second, "." empty; row 0 is the top
    this.side = side; // whose move it is: 0 or 1
  }

  /** Reads a position text such as "x......./......../ ... /........ 2". */
  static parse(text) {
    const [board, side = "1"] = text.trim().split(/\s+/);
    return new State(
      board.split("/").map((row) => [...row]),
      Number(side) - 1,
    );
  }

  /** The position as one line. */
  get text() {
    return `${this.cells.map((row) => row.join("")).join("/")} ${this.side + 1}`;
  }

  /** What is on a cell; outside the board there is nothing. */
  at(row, col) {
    return (this.cells[row] || [])[col] || "";
  }

  /** The length of a side's longest line. */
  longest(side) {
    let best = 0;
    for (let row = 0; row < this.cells.length; row++) {
      for (let col = 0; col < this.cells[0].length; col++) {
        for (const [down, right] of DIRECTIONS) {
          let length = 0;
          while (this.at(row + length * down, col + length * right) === "xo"[side]) length++;
          best = Math.max(best, length);
        }
      }
    }
    return best;
  }

  /** All moves as texts such as "A8"; none when the game is over. Row 1 is the bottom row. */
  legalMoves() {
    const moves = [];
    if (this.longest(0) >= options.line || this.longest(1) >= options.line) return moves;
    for (let row = 0; row < this.cells.length; row++) {
      for (let col = 0; col < this.cells[0].length; col++) {
        // A brick must touch a wall, or a brick to its left or right.
        const loose = this.at(row, col - 1) === "." && this.at(row, col + 1) === ".";
        if (this.at(row, col) === "." && !loose) {
          moves.push(String.fromCharCode(65 + col) + (this.cells.length - row));
        }
      }
    }
    return moves;
  }

  /** The position after a move. */
  play(move) {
    const cells = this.cells.map((row) => [...row]);
    cells[cells.length - Number(move.slice(1))][move.charCodeAt(0) - 65] = "xo"[this.side];
    return new State(cells, 1 - this.side);
  }

  /** An estimate of how well a side stands. A better estimate makes a better bot. */
  value(side) {
    const mine = this.longest(side);
    const theirs = this.longest(1 - side);
    if (mine >= options.line) return 1000;
    if (theirs >= options.line) return -1000;
    return mine - theirs;
  }
}

module.exports = { State, options };
