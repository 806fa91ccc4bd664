// The tree as an outline that opens level by level, with mouse and keys, and as screen readers know trees.

import { counted, h, sideMark, t } from "../page.js";
import { bounded, written } from "./tree.js";

/** @typedef {import("./tree.js").Tree} Tree */

export class Outline {
  /** @param {{ chosen: (node: number) => void, hovered: (node: number | null) => void }} owner */
  constructor(owner) {
    this.owner = owner;
    this.element = h("div", {
      class: "outline",
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
    const row = h("div", {
      class: "row",
      role: "treeitem",
      tabindex: -1,
      "aria-level": tree.levels[node] + 1,
      "aria-setsize": beside.length,
      "aria-posinset": beside.indexOf(node) + 1,
      "aria-selected": "false",
      "data-node": node,
      click: () => this.press(node),
      pointerenter: () => this.owner.hovered(node),
      pointerleave: () => this.owner.hovered(null),
      focus: () => this.node !== node && this.owner.chosen(node),
    });
    const item = h("div", { role: "none" }, row);
    this.rows.set(node, { item, row, group: null });
    this.paint(node);
    return item;
  }

  /** Draws what is known of a node by now. @param {number} node */
  paint(node) {
    const tree = /** @type {Tree} */ (this.tree);
    const made = this.rows.get(node);
    if (!made) return;
    const { row } = made;
    const { moves, values, sides, parents, alphas, betas } = tree.data;
    const come = tree.comes[node] <= this.step;
    const gone = tree.goes[node] <= this.step;
    const parent = parents[node];
    const isBest = parent >= 0 && gone && tree.bestBy(parent, this.step) === node;
    const skipped = gone ? tree.skipped(node).length : 0;
    const opens = tree.children[node].length > 0;
    const now = gone ? null : tree.bestBy(node, this.step);
    const value = gone
      ? `${tree.bound(node)}${written(values[node])}`
      : come
        ? now === null
          ? "…"
          : `${written(values[now])}…`
        : "";
    const name = parent < 0 ? t("outline.root") : moves[node];
    if (opens) row.setAttribute("aria-expanded", String(made.group !== null));
    row.classList.toggle("best", isBest);
    row.classList.toggle("future", !come);
    row.classList.toggle("under-way", come && !gone);
    row.replaceChildren(
      h(
        "span",
        { class: opens ? "twist" : "twist none", "aria-hidden": "true" },
        opens ? (made.group ? "▾" : "▸") : "",
      ),
      parent >= 0 ? sideMark(sides[parent]) : h("span", { class: "mark" }),
      h("span", { class: "move" }, name),
      h("span", { class: `value${gone && values[node] > 0 ? " up" : gone && values[node] < 0 ? " down" : ""}` }, value),
      h(
        "span",
        { class: "star" },
        isBest && h("span", { "aria-hidden": "true" }, "★"),
        isBest && h("span", { class: "unseen" }, t("outline.best")),
      ),
      tree.prunes && come && node > 0 && tree.data.kinds[node] === "inner"
        ? h(
            "span",
            { class: "window" },
            `α ${bounded(alphas[node], "−∞")}`,
            h("i", {}, "·"),
            `β ${bounded(betas[node], "∞")}`,
          )
        : h("span", { class: "window" }, come && tree.data.kinds[node] === "end" ? t("outline.over") : ""),
      skipped
        ? h(
            "span",
            { class: "cut" },
            h("span", { "aria-hidden": "true" }, `✂ ${skipped}`),
            h("span", { class: "unseen" }, counted("why.cut", skipped)),
          )
        : "",
      come ? "" : h("span", { class: "unseen" }, t("outline.future")),
    );
  }

  /** Shows what is below a node. @param {number} node */
  open(node) {
    const tree = /** @type {Tree} */ (this.tree);
    const made = this.rows.get(node);
    if (!made || made.group || !tree.children[node].length) return;
    made.group = h("div", { role: "none", class: "below" }, ...tree.children[node].map((child) => this.item(child)));
    made.item.append(made.group);
    this.paint(node);
  }

  /** @param {number} node */
  close(node) {
    const made = this.rows.get(node);
    if (!made?.group) return;
    for (const [other, { item }] of this.rows) if (other !== node && made.item.contains(item)) this.rows.delete(other);
    made.group.remove();
    made.group = null;
    this.paint(node);
  }

  /** Opens the way to a node and nothing beside it. @param {number} node */
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

  /** Shows the tree as it was by a step. @param {number} step */
  at(step) {
    if (step === this.step) return;
    this.step = step;
    for (const node of this.rows.keys()) this.paint(node);
  }

  /** @param {number} node */
  press(node) {
    const made = this.rows.get(node);
    if (this.node === node && made?.group) this.close(node);
    else this.open(node);
    this.owner.chosen(node);
    this.rows.get(node)?.row.focus({ preventScroll: true });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const tree = /** @type {Tree} */ (this.tree);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = [...this.element.querySelectorAll('[role="treeitem"]')];
    const made = this.rows.get(this.node);
    const at = made ? shown.indexOf(made.row) : -1;
    const go = (/** @type {Element | undefined} */ item) => item && /** @type {HTMLElement} */ (item).focus();
    const work = {
      ArrowDown: () => go(shown[at + 1]),
      ArrowUp: () => go(shown[at - 1]),
      ArrowRight: () => (made?.group ? go(shown[at + 1]) : this.open(this.node)),
      ArrowLeft: () => (made?.group ? this.close(this.node) : go(this.rows.get(tree.data.parents[this.node])?.row)),
      Home: () => go(shown[0]),
      End: () => go(shown[shown.length - 1]),
      Enter: () => (made?.group ? this.close(this.node) : this.open(this.node)),
      " ": () => (made?.group ? this.close(this.node) : this.open(this.node)),
    }[event.key];
    if (!work) return;
    event.preventDefault();
    event.stopPropagation();
    work();
  }
}
