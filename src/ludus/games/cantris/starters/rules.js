// The rules of Cantris: positions as text, the legal moves, and what a move does.
"use strict";

const options = {
  removals: 0, // per turn; 0 means the default: two on a board of 10 rows and 5 columns, else one
  second_removal: "required", // or "optional": then "pass" is a move after a turn's first removal
};

/** A position. `play` returns a new one and does not change this one, so you can look ahead freely. */
class State {
  constructor(rows, side, points, removed) {
    this.rows = rows; // rows[row][col]: the number of a tile, 0 for an empty cell; row 0 is the top
    this.side = side; // whose move it is: 0 or 1; with two removals per turn it stays for the second
    this.points = points;
    this.removed = removed; // removals already made in this turn
  }

  /** Reads a position text such as "12/21 1 0-0 0". */
  static parse(text) {
    const [board, side = "1", points = "0-0", removed = "0"] = text.trim().split(/\s+/);
    const rows = board.split("/").map((row) => [...row].map((tile) => (tile === "." ? 0 : Number(tile))));
    return new State(rows, Number(side) - 1, points.split("-").map(Number), Number(removed));
  }

  /** The position as one line. */
  get text() {
    const board = this.rows.map((row) => row.map((tile) => tile || ".").join("")).join("/");
    return `${board} ${this.side + 1} ${this.points.join("-")} ${this.removed}`;
  }

  get removalsInTurn() {
    return options.removals || (this.rows.length === 10 && this.rows[0].length === 5 ? 2 : 1);
  }

  /** Whether a column is empty: that ends the game. Tiles lie at the bottom, so the bottom row shows it. */
  get over() {
    return this.rows[this.rows.length - 1].includes(0);
  }

  /** All moves as texts such as "2,1": row and column, both from 0; none when the game is over. */
  legalMoves() {
    if (this.over) return [];
    const moves = this.rows.flatMap((line, row) => line.map((tile, col) => (tile ? `${row},${col}` : "")));
    if (this.removed === 1 && options.second_removal === "optional") moves.push("pass");
    return moves.filter((move) => move !== "");
  }

  /** The position after a move. */
  play(move) {
    if (move === "pass") return new State(this.rows, 1 - this.side, this.points, 0);
    const rows = this.rows.map((line) => [...line]);
    const points = [...this.points];
    let taken = [move.split(",").map(Number)];
    while (taken.length > 0) {
      // first the chosen tile, then runs until there are none
      points[this.side] += take(rows, taken);
      taken = cellsInRuns(rows);
    }
    const after = new State(rows, this.side, points, this.removed + 1);
    if (after.removed === this.removalsInTurn || after.over) {
      after.side = 1 - this.side;
      after.removed = 0;
    }
    return after;
  }

  /** An estimate of how well a side stands. A better estimate makes a better bot. */
  value(side) {
    return this.points[side] - this.points[1 - side];
  }
}

/** Takes tiles off the board, lets the others fall, and returns the sum of what was taken. */
function take(rows, cells) {
  let sum = 0;
  for (const [row, col] of cells) {
    sum += rows[row][col];
    rows[row][col] = 0;
  }
  for (let col = 0; col < rows[0].length; col++) {
    const tiles = rows.map((row) => row[col]).filter((tile) => tile > 0);
    const empty = rows.length - tiles.length;
    rows.forEach((row, r) => (row[col] = r < empty ? 0 : tiles[r - empty]));
  }
  return sum;
}

/** The cells of all runs: three or more equal tiles side by side in a row. A cell may be named more than once. */
function cellsInRuns(rows) {
  const cells = [];
  rows.forEach((line, row) => {
    for (let col = 0; col + 2 < line.length; col++) {
      if (line[col] > 0 && line[col] === line[col + 1] && line[col] === line[col + 2]) {
        cells.push([row, col], [row, col + 1], [row, col + 2]);
      }
    }
  });
  return cells;
}

module.exports = { State, options };
