// Cantris in the protocol `ugi`: one JavaScript file. It takes what gains most, less the most that the opponent can
// gain afterwards. The position comes whole before every move, so nothing is kept in mind.
"use strict";

/** Takes a tile; gives the points and the columns after all runs are gone. Columns are lists from the bottom up. */
function remove(columns, col, height) {
  const after = columns.map((column) => [...column]);
  let points = after[col].splice(height, 1)[0];
  for (let runs = findRuns(after); runs.size > 0; runs = findRuns(after)) {
    for (const cell of [...runs].sort((a, b) => (b % 100) - (a % 100))) {
      // from the top, so that heights stay right
      points += after[Math.floor(cell / 100)].splice(cell % 100, 1)[0];
    }
  }
  return { points, columns: after };
}

/** The cells of all runs of three or more, as 100 * column + height. */
function findRuns(columns) {
  const runs = new Set();
  for (let height = 0; height < Math.max(...columns.map((column) => column.length)); height++) {
    for (let col = 0; col + 2 < columns.length; col++) {
      const [a, b, c] = [0, 1, 2].map((i) => columns[col + i][height]);
      if (a !== undefined && a === b && b === c) [0, 1, 2].forEach((i) => runs.add(100 * (col + i) + height));
    }
  }
  return runs;
}

const tiles = (columns) => columns.flatMap((column, col) => column.map((_, height) => [col, height]));
const over = (columns) => columns.some((column) => column.length === 0);

function bestGain(columns) {
  if (over(columns)) return 0;
  return Math.max(...tiles(columns).map(([col, height]) => remove(columns, col, height).points));
}

function choose(columns, rows) {
  let best = null;
  for (const [col, height] of tiles(columns)) {
    const after = remove(columns, col, height);
    const worth = after.points - bestGain(after.columns);
    if (best === null || worth > best.worth) best = { worth, move: `${rows - 1 - height},${col}` };
  }
  return best.move;
}

/** Reads `position fen TEXT moves ...` and plays the moves. */
function read(line) {
  const [text, moves = ""] = line.slice("position fen ".length).split(" moves ");
  const lines = text.split(" ")[0].split("/").reverse();
  let columns = [...lines[0]].map((_, col) =>
    lines
      .map((row) => row[col])
      .filter((t) => t !== ".")
      .map(Number),
  );
  for (const move of moves.split(" ").filter((word) => word.includes(","))) {
    const [row, col] = move.split(",").map(Number);
    columns = remove(columns, col, lines.length - 1 - row).columns;
  }
  return { columns, rows: lines.length };
}

let position = null;
require("readline")
  .createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (line === "ugi") console.log("id name tiles\nugiok");
    if (line === "isready") console.log("readyok");
    if (line.startsWith("position fen ")) position = read(line);
    if (line.startsWith("go")) console.log(`bestmove ${choose(position.columns, position.rows)}`);
    if (line === "quit") process.exit(0);
  });
