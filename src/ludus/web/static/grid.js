// The cells of a board as buttons over its picture: for mouse, touch, keyboard and screen readers. Knows where cells
// are, never what they mean: it reports presses and what is pointed at.

import { h } from "./page.js";

/** @import { Frame } from "./page.js" */
/**
 * @typedef {{ press: (index: number, touched: boolean) => void, point: (index: number | null) => void }} GridEvents
 */

export class Grid {
  /** @param {Frame} frame @param {string} label @param {GridEvents} events */
  constructor({ rows, cols, row_labels: rowLabels, col_labels: colLabels }, label, events) {
    this.rows = rows;
    this.cols = cols;
    this.events = events;
    /** The names of the cells: "B5", or "2,3" where columns are numbers. */
    this.names = rowLabels.flatMap((row) =>
      colLabels.map((col) => (/^\d/.test(colLabels[0]) ? `${row},${col}` : `${col}${row}`)),
    );
    this.buttons = this.names.map((_, index) =>
      h("button", {
        role: "gridcell",
        tabindex: index === 0 ? 0 : -1,
        "data-cell": `${Math.floor(index / cols)},${index % cols}`,
        "aria-disabled": "true",
        click: (/** @type {MouseEvent} */ event) => events.press(index, this.touched && event.detail > 0),
        pointerenter: () => events.point(index),
        pointerleave: () => events.point(null),
        focus: () => this.focusCell(index),
        blur: () => events.point(null),
      }),
    );
    /** Whether the last press was by a finger; a click by a key has no detail. */
    this.touched = false;
    const pointerdown = (/** @type {PointerEvent} */ event) => (this.touched = event.pointerType === "touch");
    const keydown = (/** @type {KeyboardEvent} */ event) => this.key(event);
    const lines = rowLabels.map((_, row) =>
      h("div", { role: "row" }, ...this.buttons.slice(row * cols, (row + 1) * cols)),
    );
    this.element = h("div.grid", { role: "grid", "aria-label": label, keydown, pointerdown }, ...lines);
  }

  /** Makes the focused cell the one that the tab key reaches. @param {number} index */
  focusCell(index) {
    for (const button of this.buttons) button.tabIndex = -1;
    this.buttons[index].tabIndex = 0;
    this.events.point(index);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = this.buttons.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const { rows, cols } = this;
    const [row, col] = [Math.floor(at / cols), at % cols];
    const next = {
      ArrowLeft: [row, Math.max(0, col - 1)],
      ArrowRight: [row, Math.min(cols - 1, col + 1)],
      ArrowUp: [Math.max(0, row - 1), col],
      ArrowDown: [Math.min(rows - 1, row + 1), col],
      Home: [row, 0],
      End: [row, cols - 1],
    }[event.key];
    if (at < 0 || !next || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.buttons[next[0] * cols + next[1]].focus();
  }

  /** Labels a cell for screen readers. @param {number} index @param {string[]} words @param {boolean} enabled */
  describe(index, words, enabled) {
    const button = this.buttons[index];
    button.setAttribute("aria-label", [this.names[index], ...words].filter(Boolean).join(", "));
    button.setAttribute("aria-disabled", String(!enabled));
  }
}
