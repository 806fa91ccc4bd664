// What people draw on a board: signs on cells and arrows between them. Each colour has a form of its own, so that
// colour is not all that tells them apart. `ludus.drawing.boards` draws the same in pictures. Knows no rules and no
// page.

import { UNIT } from "./look.js";
import { announce, svg, t } from "./page.js";

/** @import { Board } from "./board.js" */
/** @import { Cell } from "./page.js" */
/** @typedef {"green" | "red" | "blue" | "amber"} Colour */
/** @typedef {{ cells: Cell[], colour?: Colour }} Shape one cell has a sign, two are an arrow */

/** @type {Colour[]} */
export const COLOURS = ["green", "red", "blue", "amber"];
const MOST = 32;
const DASHES = { green: "", red: "34 16", blue: "8 15", amber: "42 15 8 15" };

/** Returns the path of a colour's sign around a point. @param {Colour} colour @param {number} x @param {number} y */
export function signPath(colour, x, y) {
  const r = 36;
  if (colour === "green") return `M${x - r} ${y}a${r} ${r} 0 1 1 ${2 * r} 0a${r} ${r} 0 1 1 ${-2 * r} 0Z`;
  const d = 32;
  if (colour === "red") return `M${x - d} ${y - d}l${2 * d} ${2 * d}M${x + d} ${y - d}l${-2 * d} ${2 * d}`;
  if (colour === "blue") return `M${x - d} ${y - d}h${2 * d}v${2 * d}h${-2 * d}Z`;
  return `M${x} ${y - 38}l38 38l-38 38l-38 -38Z`;
}

/** Returns the parts of a shape. @param {Board} board @param {Shape} shape */
function shapeParts(board, { cells, colour = "green" }) {
  const [[x, y], end] = cells.map((cell) => board.center(cell));
  const kind = `shape ${colour}`;
  if (!end) {
    const d = signPath(colour, x, y);
    return svg("g", { class: kind }, svg("path.border", { d }), svg("path.core", { d }));
  }
  const length = Math.hypot(end[0] - x, end[1] - y);
  const [a, b] = [(end[0] - x) / length, (end[1] - y) / length];
  const at = (/** @type {number} */ along, aside = 0) => `${x + a * along - b * aside} ${y + b * along + a * aside}`;
  const neck = length - UNIT * 0.42;
  const line = `M${at(UNIT * 0.22)}L${at(neck)}`;
  const head = `M${at(neck, UNIT * 0.2)}L${at(length - UNIT * 0.1)}L${at(neck, -UNIT * 0.2)}Z`;
  return svg(
    "g",
    { class: `${kind} arrow` },
    svg("path.border", { d: line + head }),
    svg("path.core", { d: line, "stroke-dasharray": DASHES[colour] || null }),
    svg("path.head", { d: head }),
  );
}

/** Draws shapes on a board, in place of others. @param {Board} board @param {Shape[]} shapes */
export function drawShapes(board, shapes) {
  board.shapes.replaceChildren(...shapes.map((shape) => shapeParts(board, shape)));
}

/** Describes a shape in words. @param {Board} board @param {Shape} shape */
export function shapeName(board, { cells, colour = "green" }) {
  const names = cells.map((cell) => board.grid?.names[board.indexOf(cell)] ?? "");
  return t(cells.length > 1 ? "shape.arrow" : "shape.sign", {
    colour: t(`shape.${colour}`),
    from: names[0],
    to: names[1] ?? "",
  });
}

/** @param {Shape} one @param {Shape} other */
const sameCells = (one, other) => String(one.cells) === String(other.cells);

/**
 * Returns the shapes with one more; the same once more goes, and in another colour changes.
 * @param {Shape[]} shapes
 * @param {Shape} shape
 */
export function toggled(shapes, shape) {
  const others = shapes.filter((one) => !sameCells(one, shape));
  const same = shapes.find((one) => sameCells(one, shape));
  return same && (same.colour ?? "green") === (shape.colour ?? "green") ? others : [...others, shape].slice(-MOST);
}

/** Lets people draw: by dragging with the right button at any time, and while `on`, by touch, mouse and keyboard. */
export class Pen {
  /** @param {Board} board @param {(shape: Shape) => void} drawn */
  constructor(board, drawn) {
    this.board = board;
    this.drawn = drawn;
    this.on = false;
    /** @type {Colour} */
    this.colour = "green";
    /** Where a drag, or an arrow by keyboard, begins. @type {Cell | null} */
    this.from = null;
    const { element } = board;
    element.addEventListener("contextmenu", (event) => event.preventDefault());
    element.addEventListener("pointerdown", (event) => this.press(event));
    element.addEventListener("pointerup", (event) => this.release(event));
    element.addEventListener("pointercancel", () => (this.from = null));
    element.addEventListener("click", (event) => this.click(event), true);
    element.addEventListener("keydown", (event) => event.key === "Escape" && this.begin(null), true);
  }

  /** Turns drawing by touch and keyboard on or off. @param {boolean} on */
  turn(on) {
    this.on = this.board.drawing = on;
    this.board.describe();
    this.begin(null);
    this.board.element.classList.toggle("drawing", on);
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 2 && !(this.on && event.button === 0)) return;
    this.begin(this.cellAt(event));
  }

  /** @param {PointerEvent} event */
  release(event) {
    const to = this.from && this.cellAt(event);
    if (to && this.from) this.finish(this.from, to, modifiedColour(event) ?? this.colour);
    this.begin(null);
  }

  /**
   * Keeps the moves of cells from being played while drawing; Enter on two cells draws an arrow.
   * @param {MouseEvent} event
   */
  click(event) {
    if (!this.on) return;
    event.stopPropagation();
    const cell = event.target instanceof HTMLElement && event.target.dataset.cell ? cellOf(event.target) : null;
    if (event.detail > 0 || !cell) return; // a pointer has drawn already
    if (!this.from) return this.begin(cell, true);
    this.finish(this.from, cell, this.colour);
    this.begin(null);
  }

  /** @param {Cell | null} cell @param {boolean} [said] whether a screen reader says so */
  begin(cell, said = false) {
    this.from = cell;
    for (const rect of this.board.rects) rect.classList.remove("from");
    if (cell && this.on) this.board.rects[this.board.indexOf(cell)].classList.add("from");
    if (said) announce(t("shape.begun"));
  }

  /** @param {Cell} from @param {Cell} to @param {Colour} colour */
  finish(from, to, colour) {
    const cells = String(from) === String(to) ? [from] : [from, to];
    this.drawn({ cells, colour });
  }

  /** Returns the cell below a pointer. @param {PointerEvent} event @returns {Cell | null} */
  cellAt({ clientX, clientY }) {
    const below = document.elementFromPoint(clientX, clientY);
    return below instanceof HTMLElement && below.dataset.cell && this.board.element.contains(below)
      ? cellOf(below)
      : null;
  }
}

/** @param {HTMLElement} element @returns {Cell} */
const cellOf = (element) => /** @type {Cell} */ ((element.dataset.cell ?? "").split(",").map(Number));

/** Returns the colour that held keys choose. @param {PointerEvent} event @returns {Colour | null} */
function modifiedColour({ button, shiftKey, altKey }) {
  if (button !== 2 || (!shiftKey && !altKey)) return null;
  return shiftKey && altKey ? "amber" : shiftKey ? "red" : "blue";
}
