// The rules of Chain Reaction: positions as text, the legal moves, and what a move does.
"use strict";

const options = {
  explosion: "empties", // what happens to a cell that explodes; other courses say "keeps-surplus" or "dies"
};
const PLY_LIMIT = 1000; // a game of this many moves is a draw

/** A position. `play` returns a new one and does not change this one, so you can look ahead freely. */
class State {
  constructor(owner, orbs, side, ply) {
    this.owner = owner; // owner[row][col]: "r" first player, "b" second, "." nobody, "#" dead; row 0 is the top
    this.orbs = orbs; // orbs[row][col]
    this.side = side; // whose move it is: 0 or 1
    this.ply = ply; // moves played so far
  }

  /** Reads a position text such as "r1.b2.../....../....../....../...... 1 2". */
  static parse(text) {
    const [board, side = "1", ply = "0"] = text.trim().split(/\s+/);
    const cells = board.split("/").map((row) => row.match(/[rb][0-9]|[.#]/g));
    return new State(
      cells.map((row) => row.map((cell) => cell[0])),
      cells.map((row) => row.map((cell) => Number(cell.slice(1)))),
      Number(side) - 1,
      Number(ply),
    );
  }

  /** The position as one line. */
  get text() {
    const cell = (row, col) => this.owner[row][col] + (this.orbs[row][col] || "");
    const rows = this.owner.map((line, row) => line.map((_, col) => cell(row, col)).join(""));
    return `${rows.join("/")} ${this.side + 1} ${this.ply}`;
  }

  /** The cells above, below, left and right; a cell explodes when it holds as many orbs as it has of these. */
  neighbours(row, col) {
    const near = [
      [row - 1, col],
      [row + 1, col],
      [row, col - 1],
      [row, col + 1],
    ];
    return near.filter(([r, c]) => r >= 0 && r < this.owner.length && c >= 0 && c < this.owner[0].length);
  }

  /** All cells as [row, col]. */
  cells() {
    return this.owner.flatMap((line, row) => line.map((_, col) => [row, col]));
  }

  /** The orbs of a side. */
  count(side) {
    return this.cells().reduce((sum, [r, c]) => sum + (this.owner[r][c] === "rb"[side] ? this.orbs[r][c] : 0), 0);
  }

  /** The side that has won, or null while nobody has. */
  get winner() {
    const mine = this.count(this.side);
    const theirs = this.count(1 - this.side);
    if (this.ply < 2 && mine + theirs < 2) return null; // both must have played
    if (mine === 0 || theirs === 0) return mine > 0 ? this.side : 1 - this.side;
    return this.freeCells().length > 0 ? null : 1 - this.side;
  }

  freeCells() {
    const free = [".", "rb"[this.side]];
    const cells = this.cells().filter(([r, c]) => free.includes(this.owner[r][c]));
    return cells.map(([r, c]) => String.fromCharCode(65 + c) + (r + 1));
  }

  /** All moves as texts such as "C4"; none when the game is over. */
  legalMoves() {
    return this.ply >= PLY_LIMIT || this.winner !== null ? [] : this.freeCells();
  }

  /** The position after a move. */
  play(move) {
    const copy = (grid) => grid.map((row) => [...row]);
    const after = new State(copy(this.owner), copy(this.orbs), 1 - this.side, this.ply + 1);
    const me = "rb"[this.side];
    const row = Number(move.slice(1)) - 1;
    const col = move.charCodeAt(0) - 65;
    after.owner[row][col] = me;
    after.orbs[row][col] += 1;
    let full = after.fullCells();
    while (full.length > 0) {
      // a wave: all full cells explode together
      for (const [r, c] of full) after.explode(r, c, me);
      if (after.count(1 - this.side) === 0) break; // won: the chain could go on forever
      full = after.fullCells();
    }
    return after;
  }

  fullCells() {
    return this.cells().filter(([r, c]) => this.orbs[r][c] >= this.neighbours(r, c).length);
  }

  explode(row, col, me) {
    const near = this.neighbours(row, col);
    const left = options.explosion === "keeps-surplus" ? this.orbs[row][col] - near.length : 0;
    this.orbs[row][col] = left;
    this.owner[row][col] = options.explosion === "dies" ? "#" : left > 0 ? me : ".";
    for (const [r, c] of near) {
      if (this.owner[r][c] === "#") continue;
      this.owner[r][c] = me;
      this.orbs[r][c] += 1;
    }
  }

  /** An estimate of how well a side stands. A better estimate makes a better bot. */
  value(side) {
    const winner = this.winner;
    if (winner !== null) return winner === side ? 1000 : -1000;
    return this.count(side) - this.count(1 - side);
  }
}

module.exports = { State, options };
