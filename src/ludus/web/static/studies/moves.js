// The moves of a study as text: the main line, and variations set in below the move that they replace. Knows no board.

import { h, sideMark, t } from "../page.js";

/** @import { Tree, TreeNode } from "../analysis/tree.js" */

export class StudyMoves {
  /**
   * @param {Tree} tree @param {{ jump: () => unknown, pass: () => unknown }} owner
   */
  constructor(tree, { jump, pass }) {
    this.tree = tree;
    this.jump = jump;
    this.drawn = -1;
    /** @type {Map<TreeNode, HTMLButtonElement>} */
    this.buttons = new Map();
    this.list = h("div.tree", { role: "group", "aria-label": t("match.moves") });
    this.intro = h("p.dim", t("analysis.how"));
    this.pass = h("button.quiet", { click: pass }, t("match.pass"));
    this.element = h("div.aside", this.list, this.intro, this.pass);
  }

  /**
   * Draws the moves again after a change, and marks the current one.
   * @param {unknown} _path
   * @param {boolean} canPass
   */
  show(_path, canPass) {
    const { tree } = this;
    if (this.drawn !== tree.changes) this.draw();
    for (const [node, button] of this.buttons) {
      const isCurrent = node === tree.node;
      button.classList.toggle("current", isCurrent);
      if (isCurrent) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    }
    this.reveal();
    this.intro.hidden = tree.root.children.length > 0;
    this.list.hidden = !this.intro.hidden;
    this.pass.hidden = !canPass;
    return false;
  }

  /** Scrolls the current move into the list's view, and the page not at all. */
  reveal() {
    const button = this.buttons.get(this.tree.node);
    if (!button) return void (this.list.scrollTop = 0);
    const { scrollTop, clientHeight } = this.list;
    const top = button.offsetTop;
    if (top < scrollTop || top + button.offsetHeight > scrollTop + clientHeight)
      this.list.scrollTop = top - clientHeight / 2;
  }

  draw() {
    this.drawn = this.tree.changes;
    this.buttons.clear();
    const { root } = this.tree;
    this.list.replaceChildren(...(root.comment ? [h("p.said", root.comment)] : []), ...this.line(root, 0));
  }

  /** Returns what follows a node. @param {TreeNode} node @param {number} ply of the node @returns {HTMLElement[]} */
  line(node, ply) {
    const parts = [];
    for (let before = node, number = ply + 1; before.children.length; before = before.children[0], number++) {
      const [first, ...others] = before.children;
      parts.push(...this.move(first, before, number));
      for (const other of others)
        parts.push(h("div.set-in", ...this.move(other, before, number), ...this.line(other, number)));
    }
    return parts;
  }

  /** @param {TreeNode} node @param {TreeNode} before @param {number} number */
  move(node, before, number) {
    const click = () => (this.tree.select(node), this.jump());
    const button = h("button", { class: `side${before.side}`, click }, h("span.no", String(number)));
    button.append(sideMark(before.side), node.move);
    this.buttons.set(node, button);
    return node.comment ? [button, h("p.said", node.comment)] : [button];
  }
}
