// The rules of The Fruit Rage: positions as text, the legal moves, and what a move does.
"use strict";

const options = {}; // there are no options that the board does not show

/** A position. `play` returns a new one and does not change this one, so you can look ahead freely. */
class State {
  constructor(rows, side = 0, points = [0, 0]) {
    this.rows = rows; // rows[row][col]: a digit for a fruit, "*" for an empty cell; row 0 is the top
    this.side = side; // whose move it is: 0 or 1
    this.points = points;
  }

  /** Reads a position text such as "01/21 1 0-0". */
  static parse(text) {
    const [board, side = "1", points = "0-0"] = text.trim().split(/\s+/);
    return new State(
      board.split("/").map((row) => [...row]),
      Number(side) - 1,
      points.split("-").map(Number),
    );
  }

  /** The position as one line. */
  get text() {
    return `${this.rows.map((row) => row.join("")).join("/")} ${this.side + 1} ${this.points.join("-")}`;
  }

  /** One move for each group, such as "B13"; none when the board is empty. */
  legalMoves() {
    const moves = [];
    const board = this.rows.map((row) => [...row]);
    for (let row = 0; row < board.length; row++) {
      for (let col = 0; col < board.length; col++) {
        if (board[row][col] === "*") continue;
        takeGroup(board, row, col);
        moves.push(String.fromCharCode(65 + col) + (row + 1));
      }
    }
    return moves;
  }

  /** The position after a move. */
  play(move) {
    const board = this.rows.map((row) => [...row]);
    const claimed = takeGroup(board, Number(move.slice(1)) - 1, move.charCodeAt(0) - 65);
    for (let col = 0; col < board.length; col++) {
      // what is left falls down
      const kept = board.map((row) => row[col]).filter((fruit) => fruit !== "*");
      const empty = board.length - kept.length;
      board.forEach((row, r) => (row[col] = r < empty ? "*" : kept[r - empty]));
    }
    const points = [...this.points];
    points[this.side] += claimed * claimed;
    return new State(board, 1 - this.side, points);
  }

  /** An estimate of how well a side stands. A better estimate makes a better bot. */
  value(side) {
    return this.points[side] - this.points[1 - side];
  }
}

/** Counts the cells that one move on this cell claims: all of its fruit that are connected. They become "*". */
function takeGroup(board, row, col) {
  const fruit = board[row][col];
  const cells = [[row, col]];
  board[row][col] = "*";
  for (const [r, c] of cells) {
    // the list grows while we walk through it
    for (const [y, x] of [
      [r - 1, c],
      [r + 1, c],
      [r, c - 1],
      [r, c + 1],
    ]) {
      if (board[y] !== undefined && board[y][x] === fruit) {
        board[y][x] = "*";
        cells.push([y, x]);
      }
    }
  }
  return cells.length;
}

module.exports = { State, options };
