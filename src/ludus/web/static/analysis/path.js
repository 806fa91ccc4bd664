// The positions that the analysis steps through: those of a game, or its beginning and then a variation. Pure data:
// knows no board and no server.

/** @import { Ply } from "../page.js" */
/**
 * @typedef {{ text: string, ply: Ply | null, move?: string, side?: number }} PathNode a position, and the move that led
 *   to it: as text only, where the rest is still to be fetched
 */

/** Returns the move that led to a node. @param {PathNode | undefined} node */
const moveOf = (node) => node?.ply?.move ?? node?.move ?? "";

/** @template {PathNode} [Node=PathNode] */
export class Path {
  /** @param {Node[]} nodes @param {boolean} isGame whether they are a played game @param {number} at */
  constructor(nodes, isGame, at) {
    this.nodes = nodes;
    /** The nodes of the played game. @type {Node[] | null} */
    this.game = isGame ? nodes : null;
    /** The ply at which the variation leaves the game. @type {number | null} */
    this.branch = null;
    this.at = 0;
    this.moveTo(at);
  }

  get node() {
    return this.nodes[this.at];
  }

  get next() {
    return this.nodes[this.at + 1];
  }

  get last() {
    return this.nodes.length - 1;
  }

  /** The ply of the game that is shown, or that the variation leaves. */
  get gamePly() {
    return this.branch ?? this.at;
  }

  get isGameEnd() {
    return this.game !== null && this.branch === null && this.at === this.last;
  }

  /** The moves up to the current position. @returns {string[]} */
  get moves() {
    return this.nodes.slice(1, this.at + 1).map(moveOf);
  }

  /** The plies of the variation. */
  get variation() {
    const nodes = this.game && this.branch === null ? [] : this.nodes.slice((this.branch ?? 0) + 1);
    return nodes.map(({ ply }) => /** @type {Ply} */ (ply));
  }

  /** Goes to a position; at or before the branch, the variation is dropped. @param {number} at */
  moveTo(at) {
    if (this.branch !== null && at <= this.branch) this.leaveVariation();
    this.at = Math.max(0, Math.min(this.last, at));
  }

  leaveVariation() {
    if (this.branch === null || !this.game) return;
    this.nodes = this.game;
    this.at = this.branch;
    this.branch = null;
  }

  /** Returns whether some moves are those that come next. @param {string[]} moves */
  continuesWith(moves) {
    return moves.every((move, index) => moveOf(this.nodes[this.at + 1 + index]) === move);
  }

  /** Replaces what comes after the current position; in a game, this begins a variation. @param {Node[]} nodes */
  extend(nodes) {
    if (this.game && this.branch === null) this.branch = this.at;
    this.nodes = [...this.nodes.slice(0, this.at + 1), ...nodes];
  }
}
