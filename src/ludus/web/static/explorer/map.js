// The whole search as one picture: a row for each ply, every node as wide as its share of its parent and coloured by
// its value; what was cut stays blank, with everything below it. A click selects a node.

import { h, t } from "../page.js";

/** @import { Tree } from "./tree.js" */

const ROW = 34;
const GAP = 3;

export class SearchMap {
  /** @param {{ onSelect: (node: number) => void, onHover: (node: number | null) => void }} owner */
  constructor(owner) {
    this.canvas = h("canvas.map", { role: "img" });
    this.canvas.addEventListener("click", (event) => {
      const node = this.nodeAt(event);
      if (node !== null) owner.onSelect(node);
    });
    this.canvas.addEventListener("pointermove", (event) => owner.onHover(this.nodeAt(event)));
    this.canvas.addEventListener("pointerleave", () => owner.onHover(null));
    /** @type {Tree | null} */
    this.tree = null;
    this.step = 0;
    this.node = 0;
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(this.canvas);
    this.themed = new MutationObserver(() => this.draw());
    this.themed.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  }

  leave() {
    this.resized.disconnect();
    this.themed.disconnect();
  }

  /** @param {Tree} tree */
  show(tree) {
    this.tree = tree;
    this.left = new Float64Array(tree.size);
    this.wide = new Float64Array(tree.size);
    this.wide[0] = 1;
    for (let node = 0; node < tree.size; node++) {
      const children = tree.children[node];
      const share = this.wide[node] / (children.length + tree.skipped(node).length || 1);
      children.forEach((child, index) => {
        /** @type {Float64Array} */ (this.left)[child] = /** @type {Float64Array} */ (this.left)[node] + index * share;
        /** @type {Float64Array} */ (this.wide)[child] = share;
      });
    }
    this.scale = valueScale(tree);
    this.canvas.style.height = `${(tree.data.depth + 1) * (ROW + GAP)}px`;
    this.canvas.setAttribute("aria-label", t("map.label", { n: tree.data.nodes }));
  }

  /** @param {number} step @param {number} node */
  set(step, node) {
    this.step = step;
    this.node = node;
    cancelAnimationFrame(this.frame ?? 0);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  /** Returns the node under the pointer. @param {MouseEvent} event */
  nodeAt(event) {
    const { tree, left, wide } = this;
    if (!tree || !left || !wide) return null;
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const level = Math.floor((event.clientY - box.top) / (ROW + GAP));
    let node = 0;
    for (let at = 0; at < level; at++) {
      const next = tree.children[node].find((child) => x < left[child] + wide[child]);
      if (next === undefined) return node;
      node = next;
    }
    return node;
  }

  draw() {
    const { tree, left, wide, canvas } = this;
    const paper = canvas.getContext("2d");
    if (!tree || !left || !wide || !paper || !canvas.clientWidth) return;
    const fine = devicePixelRatio || 1;
    const width = (canvas.width = Math.round(canvas.clientWidth * fine));
    canvas.height = Math.round(canvas.clientHeight * fine);
    const style = getComputedStyle(canvas);
    const own = style.getPropertyValue(tree.data.sides[0] === 0 ? "--first" : "--second");
    const other = style.getPropertyValue(tree.data.sides[0] === 0 ? "--second" : "--first");
    const ink = style.getPropertyValue("--ink");
    const high = ROW * fine;
    paper.font = `600 ${12 * fine}px ${style.fontFamily}`;
    paper.textAlign = "center";
    paper.textBaseline = "middle";
    const top = (/** @type {number} */ node) => tree.levels[node] * (ROW + GAP) * fine;
    const hatched = this.hatching(paper, style.getPropertyValue("--dim"), fine);
    for (let node = 0; node < tree.size; node++) {
      if (tree.comes[node] > this.step) break;
      const x = left[node] * width;
      const room = wide[node] * width;
      const seam = room > 4 * fine ? fine : 0;
      const done = tree.goes[node] <= this.step;
      const value = tree.data.values[node] / (this.scale ?? 1);
      paper.globalAlpha = 1;
      paper.fillStyle = style.getPropertyValue("--card");
      paper.fillRect(x, top(node), Math.max(room - seam, 0.4), high);
      paper.fillStyle = !done ? ink : value >= 0 ? own : other;
      const strength = Math.min(1, Math.abs(value));
      paper.globalAlpha = done ? 0.14 + 0.86 * strength : 0.28;
      paper.fillRect(x, top(node), Math.max(room - seam, 0.4), high);
      paper.globalAlpha = 1;
      const name = tree.data.moves[node];
      if (name && room > 8 * fine * name.length + 6 * fine) {
        paper.fillStyle = done && strength > 0.45 ? "#10131b" : ink;
        paper.fillText(name, x + room / 2, top(node) + high / 2);
      }
      const skipped = done ? tree.skipped(node).length : 0;
      if (skipped) {
        const kept = (room * tree.children[node].length) / (tree.children[node].length + skipped);
        paper.fillStyle = hatched;
        for (let level = tree.levels[node] + 1; level <= tree.data.depth; level++)
          paper.fillRect(x + kept, level * (ROW + GAP) * fine, room - kept, high);
      }
    }
    paper.globalAlpha = 1;
    this.outline(paper, tree.path(this.node), width, fine, ink);
  }

  /**
   * Returns the hatching that marks a cut.
   * @param {CanvasRenderingContext2D} paper @param {string} colour @param {number} fine
   */
  hatching(paper, colour, fine) {
    const tile = document.createElement("canvas");
    const size = (tile.width = tile.height = Math.round(7 * fine));
    const brush = tile.getContext("2d");
    if (!brush) return colour;
    brush.strokeStyle = colour;
    brush.globalAlpha = 0.55;
    brush.lineWidth = 0.8 * fine;
    brush.beginPath();
    for (const shift of [-size, 0, size]) {
      brush.moveTo(shift, size);
      brush.lineTo(shift + size, 0);
    }
    brush.stroke();
    return paper.createPattern(tile, "repeat") ?? colour;
  }

  /**
   * @param {CanvasRenderingContext2D} paper @param {number[]} path @param {number} width @param {number} fine @param
   * {string} ink
   */
  outline(paper, path, width, fine, ink) {
    const { tree, left, wide } = this;
    if (!tree || !left || !wide) return;
    paper.strokeStyle = ink;
    for (const node of path) {
      const room = Math.max(wide[node] * width, 3 * fine);
      const y = tree.levels[node] * (ROW + GAP) * fine;
      paper.lineWidth = (node === this.node ? 3 : 1.5) * fine;
      paper.strokeRect(
        Math.min(left[node] * width, width - room) + fine,
        y + fine,
        room - 2 * fine,
        ROW * fine - 2 * fine,
      );
    }
  }
}

/**
 * Returns the value that gets the full colour in a tree, so that few nodes do; wins do not count.
 * @param {Tree} tree
 */
function valueScale(tree) {
  const sizes = tree.data.values
    .map(Math.abs)
    .filter((value) => value < 3_000_000)
    .sort((a, b) => a - b);
  return Math.max(1, sizes[Math.floor(sizes.length * 0.9)] ?? 1);
}
