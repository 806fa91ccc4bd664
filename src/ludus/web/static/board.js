// A board: state in, picture out, events back. Draws any game from data, shows moves step by step, and reports the move
// of a chosen cell. Knows no rules: legal moves and steps come from the server; how a game looks comes from its folder.

import { Grid } from "./grid.js";
import { UNIT, drawMark, isEmpty, markName } from "./look.js";
import { h, reducedMotion, svg, t } from "./page.js";

/** @import { BoardData, Cell, Frame, Mark, Move, Ply, Position, Step } from "./page.js" */
/** @typedef {{ frame: Frame, start: Position, plies: Ply[] }} Scene some moves that a board plays over and over */
/** @typedef {KeyframeAnimationOptions & { part?: number }} Timing `part` is a share of the time of a step */

/**
 * How a game looks: its ground and its motion. Its pieces are the symbols of its pieces.svg, which PDFs show too, and
 * its colours are in its style.css. Cells are 100 by 100.
 * @typedef {{
 *   pad?: number,
 *   defs?: (id: string) => SVGElement[],
 *   ground?: (frame: Frame, id: string) => SVGElement[],
 *   cell?: (row: number, col: number, frame: Frame) => Record<string, any>,
 *   targets?: (cell: Cell, frame: Frame) => Cell[],
 *   steps: Record<string, (board: Board, step: Step, was: BoardData, side: number) => Promise<unknown>>,
 *   traces?: Record<string, (board: Board, step: Step, side: number) => SVGElement[]>,
 * }} Look
 * `pad` is the room around the cells, `ground` what is below them (a plain bed if it is left out). `targets` are the
 * cells that choose a move on a cell (that cell if it is left out). `steps` show a step in motion; `traces` are what a
 * kind of step leaves visible while its move is the last.
 */

const STEP_MS = 300;
const LONGEST_MS = 3000;
/** A finger hits cells of this size, in pixels: on smaller ones a tap previews its move, if that shows something. */
const FINGER = 44;
/** On cells smaller than this a tap always previews its move. */
const TINY = 30;
const TIP = 18;
const REST_MS = 700;
const END_MS = 1800;
const LATEST_START_MS = 900;
let boards = 0;

export class Board {
  /**
   * @param {Frame} frame
   * @param {Look} look
   * @param {{ labels?: boolean, chosen?: ((move: Move) => void) | null, label?: string }} [settings]
   */
  constructor(frame, look, { labels = true, chosen = null, label = "" } = {}) {
    this.frame = frame;
    this.look = look;
    this.id = `b${++boards}`;
    this.onMove = chosen;
    this.ms = STEP_MS;
    /** @type {BoardData} */
    this.data = { marks: [], cells: [] };
    /** @type {Map<number, { shown: string, node: SVGElement }>} */
    this.pieces = new Map();
    /** @type {Set<Animation>} */
    this.running = new Set();
    /** Animations that have ended but may still show their last frame. @type {Set<Animation>} */
    this.finished = new Set();
    /** Called at each step of a move. @type {((kind: string, number: number) => void) | undefined} */
    this.onStep = undefined;
    /**
     * Called when a tap shows a move before it is played, and when that ends.
     * @type {((move?: Move) => void) | undefined}
     */
    this.onPreview = undefined;
    /** The move that a tap has shown. @type {Move | undefined} */
    this.previewed = undefined;
    this.skipping = false;
    /** Whether every cell can be chosen, to draw on it. */
    this.drawing = false;
    /** @type {Map<number, Move>} */
    this.moves = new Map();
    this.side = 0;
    this.legalText = "";
    const { rows, cols } = frame;
    const pad = (this.pad = look.pad ?? 10);
    // Labels are on the left and on top; on boards of many columns they are larger, to be read on a phone.
    const letters = (this.letters = Math.max(Math.min(26, 15 + cols * 1.1), cols * 2.65));
    const lead = pad + (labels ? Math.max(38, letters * 1.45) : 0);
    const width = (this.width = cols * UNIT + lead + pad);
    const height = (this.height = rows * UNIT + lead + pad);
    this.rects = Array.from({ length: rows * cols }, (_, index) => {
      const [row, col] = this.cellAt(index);
      const place = { x: col * UNIT + 3, y: row * UNIT + 3, width: 94, height: 94, rx: 12 };
      return svg("rect.cell", { ...place, ...look.cell?.(row, col, frame) });
    });
    this.traces = svg("g.traces");
    this.layer = svg("g.pieces");
    this.effects = svg("g.effects");
    this.over = svg("g.over");
    /** What people have drawn on the board; shapes.js fills it. */
    this.shapes = svg("g.shapes");
    this.picture = this.makePicture(`${-lead} ${-lead} ${width} ${height}`, pad, labels);
    // Endless motion is for the board that is played on: on many at once it would take the time that taps need.
    this.element = h("div.board", { class: `game-${frame.game}${chosen ? "" : " still"}` }, this.picture);
    this.shape(this.element);
    /** The cells as buttons, on a board to play on. @type {Grid | null} */
    this.grid = null;
    if (!chosen) return;
    this.grid = new Grid(frame, label, {
      press: (index, touched) => this.press(index, touched),
      point: (index) => this.highlight(index),
    });
    this.grid.element.style.inset = [lead / height, pad / width, pad / height, lead / width]
      .map((share) => `${100 * share}%`)
      .join(" ");
    this.element.append(this.grid.element);
  }

  /**
   * Returns the drawing: the ground, the cells, the pieces and what is above them.
   * @param {string} viewBox @param {number} pad around the cells @param {boolean} labels whether it has them
   */
  makePicture(viewBox, pad, labels) {
    const { frame, look, id } = this;
    const around = (/** @type {number} */ room, /** @type {number} */ rx) => ({
      x: -room,
      y: -room,
      width: frame.cols * UNIT + 2 * room,
      height: frame.rows * UNIT + 2 * room,
      rx,
    });
    const clip = svg("clipPath", { id: `${id}-clip` }, svg("rect", around(8, 14)));
    return svg(
      "svg",
      { viewBox, "aria-hidden": "true", focusable: "false" },
      svg("defs", clip, ...(look.defs?.(id) ?? [])),
      svg("g.ground", ...(look.ground?.(frame, id) ?? [svg("rect.bed", around(pad, pad + 10))])),
      svg("g", ...this.rects),
      svg("g", { "clip-path": `url(#${id}-clip)` }, this.layer),
      this.traces,
      this.effects,
      this.over,
      this.shapes,
      ...(labels ? this.labels(pad) : []),
    );
  }

  /** @param {number} index @returns {Cell} */
  cellAt(index) {
    return [Math.floor(index / this.frame.cols), index % this.frame.cols];
  }

  /** @param {Cell} cell */
  indexOf([row, col]) {
    return row * this.frame.cols + col;
  }

  /** Tells the style of an element the form of the board. @param {HTMLElement} element */
  shape({ style }) {
    const { cols } = this.frame;
    style.setProperty("--ratio", String(this.width / this.height));
    style.setProperty("--cols", String(cols));
    style.setProperty("--lead", String((this.width - cols * UNIT - 2 * this.pad) / this.width));
  }

  /** @param {number} pad */
  labels(pad) {
    const { row_labels: rows, col_labels: cols } = this.frame;
    const small = this.letters;
    return [
      ...cols.map((text, col) => svg("text.label", { x: (col + 0.5) * UNIT, y: -pad - 8, "font-size": small }, text)),
      ...rows.map((text, row) =>
        svg(
          "text.label",
          { x: -pad - Math.max(18, small * 0.72), y: (row + 0.5) * UNIT + small / 3, "font-size": small },
          text,
        ),
      ),
    ];
  }

  /** @param {number} index @param {boolean} touched */
  press(index, touched) {
    this.skip();
    const move = this.moves.get(index);
    const previews = move && touched && move !== this.previewed && this.needsPreview(move);
    this.previewed = previews ? move : undefined;
    if (previews) this.highlight(index);
    this.onPreview?.(this.previewed);
    if (move && !previews) this.onMove?.(move);
  }

  /** Returns whether a tap may miss the cells of a move. @param {Move} move */
  needsPreview({ cells = [], points }) {
    const { width = 0, height = 0 } = this.grid?.buttons[0].getBoundingClientRect() ?? {};
    return Math.min(width, height) < (points || cells.length > 1 ? FINGER : TINY);
  }

  /** Highlights the move of a cell. @param {number | null} index */
  highlight(index) {
    for (const rect of this.rects) rect.classList.remove("lit");
    this.tip?.remove();
    const move = index === null ? undefined : this.moves.get(index);
    if (!move) return;
    for (const cell of move.cells ?? []) this.rects[this.indexOf(cell)].classList.add("lit");
    if (move.points && (move.cells?.length ?? 0) > 0) {
      const [x, y] = this.centerOf(move.cells ?? []);
      const size = Math.max(44, (TIP * this.width) / (this.picture.clientWidth || this.width));
      const look = { "font-size": size, "stroke-width": size / 4, class: `tip side${this.side}` };
      this.tip = svg("text", { x, y: y + size / 3, ...look }, `+${move.points}`);
      this.over.append(this.tip);
    }
  }

  /** Returns the middle of some cells. @param {Cell[]} cells @returns {[number, number]} */
  centerOf(cells) {
    const sum = cells.reduce(([x, y], [row, col]) => [x + col, y + row], [0, 0]);
    return [(sum[0] / cells.length + 0.5) * UNIT, (sum[1] / cells.length + 0.5) * UNIT];
  }

  /**
   * Makes the cells of some moves clickable.
   * @param {Move[]} moves @param {number} side
   * @param {{ word?: string, exact?: boolean }} [settings] the words for a cell that can be chosen, and whether a move
   * is chosen by its own cells only
   */
  allow(moves, side, { word = t("cell.legal"), exact = false } = {}) {
    this.side = side;
    this.legalText = word;
    this.moves.clear();
    this.previewed = undefined;
    const targets = (/** @type {Cell} */ cell) => (exact ? undefined : this.look.targets?.(cell, this.frame)) ?? [cell];
    const own = new Set(moves.flatMap(({ cells = [] }) => cells.map((cell) => this.indexOf(cell))));
    for (const move of moves)
      for (const cell of (move.cells ?? []).flatMap(targets)) this.moves.set(this.indexOf(cell), move);
    this.element.classList.toggle("mine", moves.length > 0);
    this.element.dataset.side = String(side);
    this.rects.forEach((rect, index) => rect.classList.toggle("legal", own.has(index)));
    this.highlight(null);
    this.describe();
  }

  /** Labels each cell for screen readers: its piece, and whether it can be played. */
  describe() {
    const { marks, cells } = this.data;
    this.rects.forEach((_, index) => {
      const mark = marks[cells[index]];
      const can = this.moves.has(index);
      const words = [mark ? markName(this.frame.game, mark) : "", can ? this.legalText : ""];
      this.grid?.describe(index, words, can || this.drawing);
    });
  }

  /**
   * Marks the last move: where it placed something, and the traces of its steps.
   * @param {Ply | null | undefined} ply
   */
  markLast(ply) {
    this.outline(ply?.steps[0] ? this.occupied(ply.steps[0]) : []);
    this.traces.replaceChildren(...(ply?.steps ?? []).flatMap((step) => this.tracesOf(step, ply?.side ?? 0)));
  }

  /** Outlines these cells only. @param {Cell[]} cells */
  outline(cells) {
    for (const rect of this.rects) rect.classList.remove("last");
    for (const cell of cells) this.rects[this.indexOf(cell)].classList.add("last");
  }

  /** Returns the cells of a step that hold a piece after it: an empty cell gets no outline. @param {Step} step */
  occupied({ cells, board }) {
    return cells.filter((cell) => !isEmpty(this.mark(board, cell)));
  }

  /** @param {Step} step @param {number} side */
  tracesOf(step, side) {
    return this.look.traces?.[step.kind]?.(this, step, side) ?? [];
  }

  /**
   * Marks suggested moves on the board, the best one first.
   * @param {{ cells: Cell[], text: string, side: number }[]} ideas
   */
  suggest(ideas) {
    const plate = (/** @type {string} */ text) =>
      svg(
        "g",
        { transform: "translate(0 32)" },
        svg("rect.plate", { x: -44, y: -17, width: 88, height: 32, rx: 16 }),
        svg("text", { y: 8 }, text),
      );
    const mark = (/** @type {typeof ideas[0]} */ { cells, text, side }, /** @type {boolean} */ best) =>
      svg(
        "g.idea",
        { class: `side${side}`, transform: `translate(${this.center(cells[0]).join(" ")})`, opacity: best ? 1 : 0.75 },
        svg("rect", { x: -47, y: -47, width: 94, height: 94, rx: 14, "stroke-width": best ? 8 : 4 }),
        text && plate(text),
      );
    this.over.replaceChildren(...ideas.flatMap((idea, rank) => (idea.cells.length ? [mark(idea, rank === 0)] : [])));
  }

  /** Draws a board without animation. @param {BoardData} data */
  set(data) {
    this.data = data;
    data.cells.forEach((number, index) => {
      const mark = data.marks[number];
      const shown = JSON.stringify(mark);
      const old = this.pieces.get(index);
      if (old?.shown === shown) return;
      old?.node.remove();
      this.pieces.delete(index);
      const drawn = drawMark(this.frame.game, mark);
      if (!drawn) return;
      const node = svg(
        "g.piece",
        { class: mark.strong && "strong", transform: `translate(${this.center(this.cellAt(index)).join(" ")})` },
        svg("g.inner", svg("g.shown", drawn)),
      );
      this.pieces.set(index, { shown, node });
      this.layer.append(node);
    });
  }

  /** Returns the part of a piece that is animated. @param {Cell} cell @returns {SVGElement | null} */
  piece(cell) {
    const found = this.pieces.get(this.indexOf(cell));
    return found ? /** @type {SVGElement} */ (found.node.firstChild) : null;
  }

  /** @param {BoardData} data @param {Cell} cell @returns {Mark | undefined} */
  mark(data, cell) {
    return data.marks[data.cells[this.indexOf(cell)]];
  }

  /** @param {Cell} cell @returns {[number, number]} */
  center([row, col]) {
    return [(col + 0.5) * UNIT, (row + 0.5) * UNIT];
  }

  /**
   * Animates an element for a part of the step; ends at once when the move is skipped.
   * @param {Element | null} element @param {Keyframe[]} frames @param {Timing} [timing]
   */
  async animate(element, frames, { part = 1, ...timing } = {}) {
    if (!element || this.skipping || !element.animate) return;
    const usual = { duration: this.ms * part, easing: "ease-out", fill: /** @type {FillMode} */ ("backwards") };
    const animation = element.animate(frames, { ...usual, ...timing });
    this.running.add(animation);
    await animation.finished.catch(() => {});
    this.running.delete(animation);
    this.finished.add(animation);
  }

  /**
   * Shows an element for the length of a step, then removes it.
   * @param {SVGElement} element @param {Keyframe[]} frames @param {Timing} [timing]
   */
  async flash(element, frames, timing = {}) {
    if (this.skipping) return;
    this.effects.append(element);
    await this.animate(element, frames, timing);
    element.remove();
  }

  /** Shows the points of a step, rising from its cells. @param {Step} step @param {number} side */
  showPoints(step, side) {
    if (!step.points) return;
    const [x, y] = this.centerOf(step.cells);
    const label = svg(
      "text",
      { x, y, class: `gain side${side}`, "font-size": Math.min(110, 46 + step.points) },
      `+${step.points}`,
    );
    this.effects.append(label);
    const ends = () => label.remove();
    const rising = label.animate?.(
      [
        { transform: "translateY(10px)", opacity: 0 },
        { opacity: 1, offset: 0.2 },
        { opacity: 1, offset: 0.6 },
        { transform: "translateY(-70px)", opacity: 0 },
      ],
      { duration: 900, easing: "ease-out" },
    );
    rising ? rising.finished.then(ends, ends) : ends();
  }

  /**
   * Animates pieces that fall in their columns, and keeps their order.
   * @param {BoardData} was @param {BoardData} now
   */
  fall(was, now) {
    const { rows, cols } = this.frame;
    this.set(now);
    const full = (/** @type {BoardData} */ data, /** @type {number} */ row, /** @type {number} */ col) =>
      !isEmpty(this.mark(data, [row, col]));
    const falls = [];
    for (let col = 0; col < cols; col++) {
      let from = rows;
      for (let to = rows - 1; to >= 0; to--) {
        if (!full(now, to, col)) break;
        do from--;
        while (from >= 0 && !full(was, from, col));
        if (from < to && from >= 0) {
          const height = to - from;
          falls.push(
            this.animate(
              this.piece([to, col]),
              [
                { transform: `translateY(${-height * UNIT}px)`, easing: "cubic-bezier(.5,0,.9,.55)" },
                { transform: "translateY(0) scale(1.06,.92)", offset: 0.8, easing: "ease-out" },
                { transform: "none" },
              ],
              { part: Math.min(1.4, 0.8 + height * 0.12) },
            ),
          );
        }
      }
    }
    return Promise.all(falls);
  }

  /** Ends the running animations. */
  skip() {
    if (!this.running.size) return;
    this.skipping = true;
    for (const animation of [...this.running]) animation.finish();
  }

  /** Animates a move step by step. @param {Ply} ply */
  async play(ply) {
    const { steps } = ply;
    this.skipping = reducedMotion.matches || document.hidden;
    this.ms = Math.min(STEP_MS, Math.max(90, LONGEST_MS / Math.max(1, steps.length)));
    this.markLast(null);
    this.outline(steps[0]?.cells ?? []);
    for (const [number, step] of steps.entries()) {
      const was = this.data;
      // a skipped chain makes one sound, not all of them at once
      if (!document.hidden && (number === 0 || !this.skipping)) this.onStep?.(step.kind, number);
      if (!this.skipping) this.showPoints(step, ply.side);
      if (!this.skipping) await (this.look.steps[step.kind]?.(this, step, was, ply.side) ?? null);
      this.set(step.board);
      this.traces.append(...this.tracesOf(step, ply.side));
      if (number === 0) this.outline(this.occupied(step));
      for (const animation of this.finished) animation.cancel();
      this.finished.clear();
    }
    this.skipping = false;
    this.describe();
  }
}

/**
 * Returns a board that plays a scene until it is over; without motion it shows the end of the scene.
 * @param {Scene} scene @param {Look} look @param {AbortSignal} over
 */
export function showScene(scene, look, over) {
  const board = new Board(scene.frame, look, { labels: false });
  board.set(scene.start.board);
  if (reducedMotion.matches) showEnd(board, scene);
  else playScene(board, scene, over);
  return board;
}

/** @param {Board} board @param {Scene} scene */
async function showEnd(board, { plies }) {
  for (const ply of plies) await board.play(ply);
  board.markLast(plies.at(-1));
}

/** @param {Board} board @param {Scene} scene @param {AbortSignal} over */
async function playScene(board, scene, over) {
  let visible = true;
  if (typeof IntersectionObserver !== "undefined") {
    const observer = new IntersectionObserver((seen) => (visible = seen.at(-1)?.isIntersecting ?? true));
    observer.observe(board.element);
    over.addEventListener("abort", () => observer.disconnect());
  }
  const rest = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));
  await rest(Math.random() * LATEST_START_MS);
  while (!over.aborted) {
    for (const ply of scene.plies) {
      while ((!visible || document.hidden) && !over.aborted) await rest(300);
      if (over.aborted) return;
      await board.play(ply);
      await rest(REST_MS);
    }
    await rest(END_MS);
    board.set(scene.start.board);
    board.markLast(null);
    await rest(REST_MS);
  }
}
