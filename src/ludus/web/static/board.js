// A board: draws any game from data, shows moves step by step, and reports the move of a clicked cell. Knows no rules:
// legal moves and steps come from the server, and how a game looks comes from its own folder (a Look).

import { gameKey, h, reducedMotion, svg, t, tOr } from "./page.js";

/** @typedef {import("./page.js").BoardData} BoardData */
/** @typedef {import("./page.js").Cell} Cell */
/** @typedef {import("./page.js").Frame} Frame */
/** @typedef {import("./page.js").Mark} Mark */
/** @typedef {import("./page.js").Move} Move */
/** @typedef {import("./page.js").Ply} Ply */
/** @typedef {import("./page.js").Step} Step */

/**
 * How a game looks: its ground and its motion. Its pieces are the symbols of its pieces.svg, which PDFs show too, and
 * its colours are in its style.css. Cells are 100 by 100.
 * @typedef {{
 *   pad?: number,
 *   defs?: (id: string) => SVGElement[],
 *   ground: (frame: Frame, id: string) => SVGElement[],
 *   cell?: (row: number, col: number, frame: Frame) => Record<string, any>,
 *   steps: Record<string, (board: Board, step: Step, was: BoardData, side: number) => Promise<unknown>>,
 *   traces?: Record<string, (board: Board, step: Step, side: number) => SVGElement[]>,
 * }} Look
 * `steps` show a step in motion; `traces` are what a kind of step leaves to be seen while its move is the last.
 */

const UNIT = 100;
const STEP_MS = 300;
const LONGEST_MS = 3000;
let boards = 0;

/** @type {Map<string, Promise<Look>>} */
const looks = new Map();

/** Loads how a game looks, with its pieces and its style sheet. @param {string} game @returns {Promise<Look>} */
export function loadLook(game) {
  const known = looks.get(game) ?? fetchLook(`/static/games/${game}`);
  looks.set(game, known);
  return known;
}

/** @param {string} folder */
async function fetchLook(folder) {
  const sheet = h("link", { rel: "stylesheet", href: `${folder}/style.css` });
  const styled = new Promise((done) => (sheet.onload = sheet.onerror = done));
  document.head.append(sheet);
  const [module, pieces] = await Promise.all([
    import(`${folder}/board.js`),
    fetch(`${folder}/pieces.svg`).then((answer) => (answer.ok ? answer.text() : "")),
    styled,
  ]);
  if (pieces) {
    const symbols = new DOMParser().parseFromString(pieces, "image/svg+xml").documentElement;
    symbols.setAttribute("class", "symbols");
    document.body.append(document.importNode(symbols, true));
  }
  return module.look;
}

/**
 * Returns what a mark shows, around (0, 0): its symbol, or its text where it has none; null for an empty cell.
 * @param {string} game @param {Mark} mark
 */
export function drawMark(game, { text, side, tone, piece }) {
  if (piece) {
    const place = { x: -UNIT / 2, y: -UNIT / 2, width: UNIT, height: UNIT };
    return svg("use", { href: `#${gameKey(game, piece).replace(".", "-")}`, class: `piece-${piece}`, ...place });
  }
  if (side === undefined && tone === undefined) return null;
  return svg("text", { class: `plain side${side ?? 2}`, y: 16 }, text);
}

/** Returns what a mark is called. @param {string} game @param {Mark} mark */
export function markName(game, { text, side, tone, piece }) {
  if (side === undefined && tone === undefined && !piece) return t("cell.empty");
  const key = gameKey(game, `cell.${side === undefined ? piece : ["first", "second"][side]}`);
  return tOr(key, text).replace("{n}", text.replace(/\D/g, ""));
}

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
    this.skipping = false;
    /** @type {Map<number, Move>} */
    this.moves = new Map();
    this.side = 0;
    this.legalText = "";
    const pad = look.pad ?? 10;
    const lead = pad + (labels ? 38 : 0); // labels are on the left and on top
    const width = frame.cols * UNIT + lead + pad;
    const height = frame.rows * UNIT + lead + pad;
    this.rects = frame.row_labels.flatMap((_, row) =>
      frame.col_labels.map((__, col) =>
        svg("rect.cell", {
          x: col * UNIT + 3,
          y: row * UNIT + 3,
          width: 94,
          height: 94,
          rx: 12,
          ...look.cell?.(row, col, frame),
        }),
      ),
    );
    this.traces = svg("g.traces");
    this.layer = svg("g.pieces");
    this.effects = svg("g.effects");
    this.over = svg("g.over");
    const clip = svg(
      "clipPath",
      { id: `${this.id}-clip` },
      svg("rect", { x: -8, y: -8, width: frame.cols * UNIT + 16, height: frame.rows * UNIT + 16, rx: 14 }),
    );
    this.picture = svg(
      "svg",
      { viewBox: `${-lead} ${-lead} ${width} ${height}`, "aria-hidden": "true", focusable: "false" },
      svg("defs", clip, ...(look.defs?.(this.id) ?? [])),
      svg("g.ground", ...look.ground(frame, this.id)),
      svg("g", ...this.rects),
      svg("g", { "clip-path": `url(#${this.id}-clip)` }, this.layer),
      this.traces,
      this.effects,
      this.over,
      ...(labels ? this.labels(pad) : []),
    );
    this.element = h("div", { class: `board game-${frame.game}` }, this.picture);
    this.element.style.setProperty("--ratio", String(width / height));
    this.element.style.setProperty("--cols", String(frame.cols));
    if (chosen) this.element.append(this.cellButtons(lead, pad, width, height, label));
  }

  /** @param {number} pad */
  labels(pad) {
    const { row_labels: rows, col_labels: cols } = this.frame;
    const small = Math.min(26, 15 + this.frame.cols * 1.1);
    return [
      ...cols.map((text, col) => svg("text.label", { x: (col + 0.5) * UNIT, y: -pad - 8, "font-size": small }, text)),
      ...rows.map((text, row) =>
        svg("text.label", { x: -pad - 18, y: (row + 0.5) * UNIT + small / 3, "font-size": small }, text),
      ),
    ];
  }

  /**
   * Returns the cells as buttons over the picture: for mouse, touch, keyboard and screen readers.
   * @param {number} lead @param {number} pad @param {number} width @param {number} height @param {string} label
   */
  cellButtons(lead, pad, width, height, label) {
    const { rows, cols } = this.frame;
    this.buttons = Array.from({ length: rows * cols }, (_, index) =>
      h("button", {
        role: "gridcell",
        tabindex: index === 0 ? 0 : -1,
        "data-cell": `${Math.floor(index / cols)},${index % cols}`,
        "aria-disabled": "true",
        click: () => this.press(index),
        pointerenter: () => this.highlight(index),
        pointerleave: () => this.highlight(null),
        focus: () => this.focusCell(index),
        blur: () => this.highlight(null),
      }),
    );
    const grid = h("div.grid", {
      role: "grid",
      "aria-label": label,
      keydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
    });
    for (let row = 0; row < rows; row++)
      grid.append(h("div", { role: "row" }, ...this.buttons.slice(row * cols, (row + 1) * cols)));
    const share = (/** @type {number} */ part, /** @type {number} */ whole) => `${(100 * part) / whole}%`;
    Object.assign(grid.style, {
      left: share(lead, width),
      right: share(pad, width),
      top: share(lead, height),
      bottom: share(pad, height),
    });
    return grid;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = this.buttons?.indexOf(/** @type {HTMLButtonElement} */ (event.target)) ?? -1;
    const { rows, cols } = this.frame;
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
    this.buttons?.[next[0] * cols + next[1]].focus();
  }

  /** @param {number} index */
  focusCell(index) {
    for (const button of this.buttons ?? []) button.tabIndex = -1;
    if (this.buttons) this.buttons[index].tabIndex = 0;
    this.highlight(index);
  }

  /** @param {number} index */
  press(index) {
    this.skip();
    const move = this.moves.get(index);
    if (move) this.onMove?.(move);
  }

  /** Highlights the move of a cell. @param {number | null} index */
  highlight(index) {
    for (const rect of this.rects) rect.classList.remove("lit");
    this.tip?.remove();
    const move = index === null ? undefined : this.moves.get(index);
    if (!move) return;
    for (const [row, col] of move.cells ?? []) this.rects[row * this.frame.cols + col].classList.add("lit");
    if (move.points && (move.cells?.length ?? 0) > 0) {
      const [x, y] = this.centerOf(move.cells ?? []);
      this.tip = svg("text", { x, y: y + 14, class: `tip side${this.side}` }, `+${move.points}`);
      this.over.append(this.tip);
    }
  }

  /** Returns the middle of some cells. @param {Cell[]} cells @returns {[number, number]} */
  centerOf(cells) {
    const sum = cells.reduce(([x, y], [row, col]) => [x + col, y + row], [0, 0]);
    return [(sum[0] / cells.length + 0.5) * UNIT, (sum[1] / cells.length + 0.5) * UNIT];
  }

  /** @param {Move[]} moves @param {number} side @param {string} [word] what is said of a cell that can be chosen */
  allow(moves, side, word = t("cell.legal")) {
    this.side = side;
    this.legalText = word;
    this.moves.clear();
    for (const move of moves)
      for (const [row, col] of move.cells ?? []) this.moves.set(row * this.frame.cols + col, move);
    this.element.classList.toggle("mine", moves.length > 0);
    this.element.dataset.side = String(side);
    this.rects.forEach((rect, index) => rect.classList.toggle("legal", this.moves.has(index)));
    this.highlight(null);
    this.describe();
  }

  /** Labels each cell for screen readers: its piece, and whether it can be played. */
  describe() {
    this.buttons?.forEach((button, index) => {
      const { row_labels: rows, col_labels: cols } = this.frame;
      const mark = this.data.marks[this.data.cells[index]];
      const name = /^\d/.test(cols[0])
        ? `${rows[Math.floor(index / cols.length)]},${cols[index % cols.length]}`
        : `${cols[index % cols.length]}${rows[Math.floor(index / cols.length)]}`;
      const holds = mark ? markName(this.frame.game, mark) : "";
      const can = this.moves.has(index);
      button.setAttribute("aria-label", [name, holds, can && this.legalText].filter(Boolean).join(", "));
      button.setAttribute("aria-disabled", String(!can));
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
    for (const [row, col] of cells) this.rects[row * this.frame.cols + col].classList.add("last");
  }

  /** Returns the cells of a step that hold a piece after it: an empty cell gets no outline. @param {Step} step */
  occupied({ cells, board }) {
    return cells.filter((cell) => {
      const mark = this.mark(board, cell);
      return mark !== undefined && drawMark(this.frame.game, mark) !== null;
    });
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
    this.over.replaceChildren(
      ...ideas.flatMap(({ cells, text, side }, rank) =>
        cells
          .slice(0, 1)
          .map(([row, col]) =>
            svg(
              "g",
              {
                class: `idea side${side}`,
                transform: `translate(${(col + 0.5) * UNIT} ${(row + 0.5) * UNIT})`,
                opacity: rank === 0 ? 1 : 0.75,
              },
              svg("rect", { x: -47, y: -47, width: 94, height: 94, rx: 14, "stroke-width": rank === 0 ? 8 : 4 }),
              text &&
                svg(
                  "g",
                  { transform: "translate(0 32)" },
                  svg("rect.plate", { x: -44, y: -17, width: 88, height: 32, rx: 16 }),
                  svg("text", { y: 8 }, text),
                ),
            ),
          ),
      ),
    );
  }

  /** Draws a board without animation. @param {BoardData} data */
  set(data) {
    this.data = data;
    const { cols } = this.frame;
    data.cells.forEach((number, index) => {
      const mark = data.marks[number];
      const shown = JSON.stringify(mark);
      const old = this.pieces.get(index);
      if (old?.shown === shown) return;
      old?.node.remove();
      this.pieces.delete(index);
      const drawn = drawMark(this.frame.game, mark);
      if (!drawn) return;
      const inner = svg("g.inner", svg("g.shown", drawn));
      const node = svg(
        "g",
        {
          class: mark.strong ? "piece strong" : "piece",
          transform: `translate(${((index % cols) + 0.5) * UNIT} ${(Math.floor(index / cols) + 0.5) * UNIT})`,
        },
        inner,
      );
      this.pieces.set(index, { shown, node });
      this.layer.append(node);
    });
  }

  /** Redraws everything, after a change of language or theme. */
  refresh() {
    this.pieces.clear();
    this.layer.replaceChildren();
    this.set(this.data);
    this.describe();
  }

  /** Returns the part of a piece that is animated. @param {Cell} cell @returns {SVGElement | null} */
  piece([row, col]) {
    const found = this.pieces.get(row * this.frame.cols + col);
    return found ? /** @type {SVGElement} */ (found.node.firstChild) : null;
  }

  /** @param {BoardData} data @param {Cell} cell @returns {Mark | undefined} */
  mark(data, [row, col]) {
    return data.marks[data.cells[row * this.frame.cols + col]];
  }

  /** @param {Cell} cell @returns {[number, number]} */
  center([row, col]) {
    return [(col + 0.5) * UNIT, (row + 0.5) * UNIT];
  }

  /**
   * Animates an element for a part of the step; ends at once when the move is skipped.
   * @param {Element | null} element @param {Keyframe[]} frames @param {KeyframeAnimationOptions & { part?: number }}
   * [timing]
   */
  async animate(element, frames, { part = 1, ...timing } = {}) {
    if (!element || this.skipping || !element.animate) return;
    const animation = element.animate(frames, {
      duration: this.ms * part,
      easing: "ease-out",
      fill: "backwards",
      ...timing,
    });
    this.running.add(animation);
    await animation.finished.catch(() => {});
    this.running.delete(animation);
    this.finished.add(animation);
  }

  /**
   * Shows an element for the length of a step, then removes it.
   * @param {SVGElement} element @param {Keyframe[]} frames @param {KeyframeAnimationOptions & { part?: number }}
   * [timing]
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
    const full = (/** @type {BoardData} */ data, /** @type {number} */ row, /** @type {number} */ col) => {
      const mark = this.mark(data, [row, col]);
      return mark !== undefined && drawMark(this.frame.game, mark) !== null;
    };
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
