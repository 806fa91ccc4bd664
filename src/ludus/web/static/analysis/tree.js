// The moves of a study as a tree, with a line through it that the analysis steps along: a Path that keeps every
// variation. Pure data: knows no board and no server.

import { Path } from "./path.js";

/** @import { Shape } from "../shapes.js" */
/** @import { PathNode } from "./path.js" */
/**
 * @typedef {object} StoredNode as the server sends it; the first is the start
 * @property {number} [parent]
 * @property {string} [move]
 * @property {string} [comment]
 * @property {Shape[]} [shapes]
 * @property {string} text
 * @property {number} side
 */
/**
 * @typedef {PathNode & { move: string, side: number, comment: string, shapes: Shape[], parent: TreeNode | null,
 *   children: TreeNode[] }} TreeNode
 */

/** @param {Partial<TreeNode> & { text: string, side: number }} fields @returns {TreeNode} */
const newNode = (fields) => ({ ply: null, move: "", comment: "", shapes: [], parent: null, children: [], ...fields });

/** @extends {Path<TreeNode>} */
export class Tree extends Path {
  /** @param {StoredNode[]} stored */
  constructor(stored) {
    /** @type {TreeNode[]} */
    const all = [];
    for (const { parent = -1, ...fields } of stored) {
      const before = all[parent] ?? null;
      const node = newNode({ ...fields, parent: before });
      before?.children.push(node);
      all.push(node);
    }
    super([all[0]], false, 0);
    this.root = all[0];
    /** Counts changes of the moves, so that they are drawn again. */
    this.changes = 0;
    this.select(this.root);
  }

  /** Makes a node the current one; the line goes through it and on with first children. @param {TreeNode} node */
  select(node) {
    const line = [];
    for (let one = /** @type {TreeNode | null} */ (node); one; one = one.parent) line.unshift(one);
    this.at = line.length - 1;
    for (let one = node.children[0]; one; one = one.children[0]) line.push(one);
    this.nodes = line;
  }

  /** Adds positions after the current one, where they are new; the line goes through them. @param {PathNode[]} nodes */
  extend(nodes) {
    let before = this.node;
    for (const { text, ply, side = 0 } of nodes) {
      const move = ply?.move ?? "";
      let child = before.children.find((one) => one.move === move);
      if (!child) {
        child = newNode({ text, ply, move, side, parent: before });
        before.children.push(child);
        this.changes += 1;
      }
      child.ply ??= ply;
      before = child;
    }
    const { at } = this;
    this.select(before);
    this.at = at;
  }

  /** Removes a node with everything after it, and goes to the one before it. @param {TreeNode} node */
  remove(node) {
    const { parent } = node;
    if (!parent) return;
    parent.children = parent.children.filter((one) => one !== node);
    this.changes += 1;
    this.select(parent);
  }

  /** Makes the line to a node the main line. @param {TreeNode} node */
  promote(node) {
    for (let one = node; one.parent; one = one.parent) {
      const siblings = one.parent.children.filter((other) => other !== one);
      one.parent.children = [one, ...siblings];
    }
    this.changes += 1;
    this.select(node);
  }

  /** Returns whether a node is on the main line. @param {TreeNode} node */
  isMain(node) {
    for (let one = node; one.parent; one = one.parent) if (one.parent.children[0] !== one) return false;
    return true;
  }

  /** Returns all nodes from one on, each after its parent. @param {TreeNode} [first] */
  all(first = this.root) {
    const found = [first];
    for (const node of found) found.push(...node.children); // it grows while it is read
    return found;
  }

  /** Returns the number of a node as the server counts them. @param {TreeNode} node */
  numberOf(node) {
    return this.all().indexOf(node);
  }

  /** Returns the nodes as they are stored. */
  stored() {
    const all = this.all();
    const places = new Map(all.map((node, place) => [node, place]));
    return all.map(({ parent, move, comment, shapes }) => ({
      ...(parent && { parent: places.get(parent), move }),
      ...(comment && { comment }),
      ...(shapes.length && { shapes }),
    }));
  }
}
