// The rules of Connect Four: positions as text, the legal moves, and what a move does.
"use strict";

const options = {
  line: 4, // this many discs of one player in a row, a column or a diagonal win
};
const LETTERS = "ABCDEFGH";

/** A position. `play` returns a new one and does not change this one, so you can look ahead freely. */
class State {
  constructor(board, side) {
    this.board = board; // the rows from the top, joined by "/": "x" first player, "o" second, "." empty
    this.side = side; // whose move it is: 0 or 1
    this.cols = board.indexOf("/");
  }

  /** Reads a position text such as "......./ ... /...x... 2". */
  static parse(text) {
    const [board, side = "1"] = text.trim().split(/\s+/);
    return new State(board, Number(side) - 1);
  }

  /** The position as one line. */
  get text() {
    return `${this.board} ${this.side + 1}`;
  }

  /** Whether a side has a line. From one cell of it to the next is always the same step in the text. */
  hasLine(side) {
    for (const step of [1, this.cols, this.cols + 1, this.cols + 2]) {
      for (let start = 0; start < this.board.length; start++) {
        let length = 0;
        while (this.board[start + length * step] === "xo"[side]) length++;
        if (length >= options.line) return true;
      }
    }
    return false;
  }

  /** The columns that are not full, such as "D"; none when the game is over. */
  legalMoves() {
    if (this.hasLine(0) || this.hasLine(1)) return [];
    return [...LETTERS].filter((_, col) => col < this.cols && this.board[col] === ".");
  }

  /** The position after a move: the disc falls to the lowest empty cell. */
  play(move) {
    let cell = LETTERS.indexOf(move);
    while (this.board[cell + this.cols + 1] === ".") cell += this.cols + 1;
    return new State(this.board.slice(0, cell) + "xo"[this.side] + this.board.slice(cell + 1), 1 - this.side);
  }

  /** An estimate of how well a side stands: discs in the middle column. A better estimate makes a better bot. */
  value(side) {
    if (this.hasLine(side) || this.hasLine(1 - side)) return this.hasLine(side) ? 1000 : -1000;
    const worth = { ".": 0, ["xo"[side]]: 1, ["xo"[1 - side]]: -1 };
    return this.board.split("/").reduce((sum, row) => sum + worth[row[this.cols >> 1]], 0);
  }
}

module.exports = { State, options };
