// The search tree as an outline that opens level by level, by mouse and keyboard, with the roles of a tree for screen
// readers.

import { h, sideMark, t, tCount } from "../page.js";
import { boundText, valueText } from "./tree.js";

/** @import { Tree } from "./tree.js" */

export class Outline {
  /** @param {{ onSelect: (node: number) => void, onHover: (node: number | null) => void }} owner */
  constructor(owner) {
    this.owner = owner;
    this.element = h("div.outline", {
      role: "tree",
      "aria-label": t("outline.label"),
      keydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
    /** @type {Tree | null} */
    this.tree = null;
    /** @type {Map<number, { item: HTMLElement, row: HTMLElement, group: HTMLElement | null }>} */
    this.rows = new Map();
    this.node = 0;
    this.step = 0;
  }

  /** @param {Tree} tree */
  show(tree) {
    this.tree = tree;
    this.rows.clear();
    this.node = 0;
    this.step = tree.last;
    this.element.replaceChildren(this.item(0));
    this.open(0);
    this.select(0);
  }

  /** @param {number} node */
  item(node) {
    const tree = /** @type {Tree} */ (this.tree);
    const beside = node ? tree.children[tree.data.parents[node]] : [0];
    const row = h("div.row", {
      role: "treeitem",
      tabindex: -1,
      "aria-level": tree.levels[node] + 1,
      "aria-setsize": beside.length,
      "aria-posinset": beside.indexOf(node) + 1,
      "aria-selected": "false",
      "data-node": node,
      click: () => this.toggle(node),
      pointerenter: () => this.owner.onHover(node),
      pointerleave: () => this.owner.onHover(null),
      focus: () => this.node !== node && this.owner.onSelect(node),
    });
    const item = h("div", { role: "none" }, row);
    this.rows.set(node, { item, row, group: null });
    this.drawRow(node);
    return item;
  }

  /** Draws the row of a node as it is at the current step. @param {number} node */
  drawRow(node) {
    const tree = /** @type {Tree} */ (this.tree);
    const entry = this.rows.get(node);
    if (!entry) return;
    const { row } = entry;
    const { moves, values, sides, parents, alphas, betas } = tree.data;
    const entered = tree.comes[node] <= this.step;
    const left = tree.goes[node] <= this.step;
    const parent = parents[node];
    const isBest = parent >= 0 && left && tree.bestBy(parent, this.step) === node;
    const skipped = left ? tree.skipped(node).length : 0;
    const opens = tree.children[node].length > 0;
    const now = left ? null : tree.bestBy(node, this.step);
    const value = left
      ? `${tree.bound(node)}${valueText(values[node])}`
      : entered
        ? now === null
          ? "…"
          : `${valueText(values[now])}…`
        : "";
    const name = parent < 0 ? t("outline.root") : moves[node];
    if (opens) row.setAttribute("aria-expanded", String(entry.group !== null));
    row.classList.toggle("best", isBest);
    row.classList.toggle("future", !entered);
    row.classList.toggle("under-way", entered && !left);
    row.replaceChildren(
      h(
        "span",
        { class: opens ? "twist" : "twist none", "aria-hidden": "true" },
        opens ? (entry.group ? "▾" : "▸") : "",
      ),
      parent >= 0 ? sideMark(sides[parent]) : h("span.mark"),
      h("span.move", name),
      h("span", { class: `value${left && values[node] > 0 ? " up" : left && values[node] < 0 ? " down" : ""}` }, value),
      h(
        "span.star",
        isBest && h("span", { "aria-hidden": "true" }, "★"),
        isBest && h("span.unseen", t("outline.best")),
      ),
      tree.prunes && entered && node > 0 && tree.data.kinds[node] === "inner"
        ? h("span.window", `α ${boundText(alphas[node], "−∞")}`, h("i", "·"), `β ${boundText(betas[node], "∞")}`)
        : h("span.window", entered && tree.data.kinds[node] === "end" ? t("outline.over") : ""),
      skipped
        ? h(
            "span.cut",
            h("span", { "aria-hidden": "true" }, `✂ ${skipped}`),
            h("span.unseen", tCount("why.cut", skipped)),
          )
        : "",
      entered ? "" : h("span.unseen", t("outline.future")),
    );
  }

  /** Opens a node: shows its children. @param {number} node */
  open(node) {
    const tree = /** @type {Tree} */ (this.tree);
    const entry = this.rows.get(node);
    if (!entry || entry.group || !tree.children[node].length) return;
    entry.group = h("div.below", { role: "none" }, ...tree.children[node].map((child) => this.item(child)));
    entry.item.append(entry.group);
    this.drawRow(node);
  }

  /** @param {number} node */
  close(node) {
    const entry = this.rows.get(node);
    if (!entry?.group) return;
    for (const [other, { item }] of this.rows) if (other !== node && entry.item.contains(item)) this.rows.delete(other);
    entry.group.remove();
    entry.group = null;
    this.drawRow(node);
  }

  /** Opens the path to a node and closes everything else. @param {number} node */
  reveal(node) {
    const path = /** @type {Tree} */ (this.tree).path(node);
    for (const other of [...this.rows.keys()]) if (!path.includes(other)) this.close(other);
    for (const one of path.slice(0, -1)) this.open(one);
  }

  /** @param {number} node @param {boolean} [only] whether what is beside the way is closed */
  select(node, only = false) {
    if (only) this.reveal(node);
    else for (const one of /** @type {Tree} */ (this.tree).path(node).slice(0, -1)) this.open(one);
    const before = this.rows.get(this.node)?.row;
    before?.setAttribute("aria-selected", "false");
    before?.setAttribute("tabindex", "-1");
    this.node = node;
    const { row } = /** @type {{ row: HTMLElement }} */ (this.rows.get(node));
    row.setAttribute("aria-selected", "true");
    row.setAttribute("tabindex", "0");
    const box = this.element.getBoundingClientRect();
    const place = row.getBoundingClientRect();
    if (place.top < box.top || place.bottom > box.bottom)
      this.element.scrollTop += place.top - box.top - box.height / 3;
  }

  /** Shows the tree as it was at a step. @param {number} step */
  setStep(step) {
    if (step === this.step) return;
    this.step = step;
    for (const node of this.rows.keys()) this.drawRow(node);
  }

  /** @param {number} node */
  toggle(node) {
    const entry = this.rows.get(node);
    if (this.node === node && entry?.group) this.close(node);
    else this.open(node);
    this.owner.onSelect(node);
    this.rows.get(node)?.row.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const tree = /** @type {Tree} */ (this.tree);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = [...this.element.querySelectorAll('[role="treeitem"]')];
    const entry = this.rows.get(this.node);
    const at = entry ? shown.indexOf(entry.row) : -1;
    const go = (/** @type {Element | undefined} */ item) => item && /** @type {HTMLElement} */ (item).focus();
    const work = {
      ArrowDown: () => go(shown[at + 1]),
      ArrowUp: () => go(shown[at - 1]),
      ArrowRight: () => (entry?.group ? go(shown[at + 1]) : this.open(this.node)),
      ArrowLeft: () => (entry?.group ? this.close(this.node) : go(this.rows.get(tree.data.parents[this.node])?.row)),
      Home: () => go(shown[0]),
      End: () => go(shown[shown.length - 1]),
      Enter: () => (entry?.group ? this.close(this.node) : this.open(this.node)),
      " ": () => (entry?.group ? this.close(this.node) : this.open(this.node)),
    }[event.key];
    if (!work) return;
    event.preventDefault();
    event.stopPropagation();
    work();
  }
}
