// The search tree from the server and what follows from it: children, the order of visits, values in words. Knows no
// page.

import { t } from "../page.js";

/**
 * A list for each property of the nodes, which are numbered in search order; the root is 0.
 * @typedef {{
 *   method: string, depth: number, nodes: number, move: string, counts: Record<string, number | null>,
 *   parents: number[], moves: string[], sides: number[], values: number[], alphas: (number | null)[], betas: (number |
 *   null)[],
 *   alpha_by: (number | null)[], beta_by: (number | null)[], best: (number | null)[], kinds: string[], skipped:
 *   Record<string, string[]>,
 * }} TreeData
 */

const WON = 3_000_000;
const WIN_VALUE = 4_000_000;
/** An evaluation of this size means that the game is practically decided. */
const NEARLY = 1_000_000;

export class Tree {
  /** @param {TreeData} data */
  constructor(data) {
    this.data = data;
    const size = data.parents.length;
    this.size = size;
    this.prunes = data.method !== "minimax";
    /** @type {number[][]} */
    this.children = Array.from({ length: size }, () => []);
    this.levels = new Uint8Array(size);
    /** Entering a node is n, leaving it is -n - 1. @type {Int32Array} */
    this.steps = new Int32Array(2 * size);
    this.comes = new Int32Array(size);
    this.goes = new Int32Array(size);
    let at = 0;
    const open = /** @type {number[]} */ ([]);
    const leave = () => {
      const node = /** @type {number} */ (open.pop());
      this.goes[node] = at;
      this.steps[at++] = -node - 1;
    };
    for (let node = 0; node < size; node++) {
      const parent = data.parents[node];
      while (open.length && open[open.length - 1] !== parent) leave();
      if (parent >= 0) {
        this.children[parent].push(node);
        this.levels[node] = this.levels[parent] + 1;
      }
      open.push(node);
      this.comes[node] = at;
      this.steps[at++] = node;
    }
    while (open.length) leave();
    this.last = 2 * size - 1;
  }

  /** @param {number} node */
  skipped(node) {
    return this.data.skipped[node] ?? [];
  }

  /** Returns the nodes from the root to a node. @param {number} node */
  path(node) {
    const path = [];
    for (let at = node; at >= 0; at = this.data.parents[at]) path.unshift(at);
    return path;
  }

  /** Returns the moves that lead to a node. @param {number} node */
  movesTo(node) {
    return this.path(node)
      .slice(1)
      .map((one) => this.data.moves[one]);
  }

  /** Returns whether the side that searches moves at a node. @param {number} node */
  isMax(node) {
    return this.data.sides[node] === this.data.sides[0];
  }

  /** Returns whether a value is exact ("") or only a bound. @param {number} node @returns {"" | "≤" | "≥"} */
  bound(node) {
    if (!this.prunes || this.data.kinds[node] !== "inner" || node === 0) return "";
    const { values, alphas, betas } = this.data;
    if (alphas[node] !== null && values[node] <= /** @type {number} */ (alphas[node])) return "≤";
    if (betas[node] !== null && values[node] >= /** @type {number} */ (betas[node])) return "≥";
    return "";
  }

  /** Returns the best child of those that the search has left by a step. @param {number} node @param {number} step */
  bestBy(node, step) {
    if (this.goes[node] <= step) return this.data.best[node];
    const sign = this.isMax(node) ? 1 : -1;
    let best = /** @type {number | null} */ (null);
    for (const child of this.children[node]) {
      if (this.goes[child] > step) break;
      if (best === null || sign * (this.data.values[child] - this.data.values[best]) > 0) best = child;
    }
    return best;
  }

  /** Returns the next step at which something is cut, or null. @param {number} step */
  nextCut(step) {
    for (let at = step + 1; at <= this.last; at++) {
      const node = -this.steps[at] - 1;
      if (node >= 0 && this.skipped(node).length) return at;
    }
    return null;
  }
}

/** Returns a value as text: wins and losses in moves, other values with a sign. @param {number} value */
export function valueText(value) {
  const far = Math.abs(value);
  if (far >= WON) return t(value > 0 ? "value.win" : "value.loss", { n: WIN_VALUE - far });
  if (far >= NEARLY) return t(value > 0 ? "value.winning" : "value.losing");
  return value === 0 ? "0" : `${value > 0 ? "+" : "−"}${far.toLocaleString(document.documentElement.lang)}`;
}

/** Returns a bound as text, or `none` without one. @param {number | null} value @param {string} none */
export const boundText = (value, none) => (value === null ? none : valueText(value));
