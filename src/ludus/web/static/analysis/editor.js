// The board editor: a palette of pieces, the side to move, points. The server checks the position.

import { drawMark, markName } from "../look.js";
import { optionsText } from "./engine.js";
import { button, field } from "../components.js";
import { ask, errorText, h, sideMark, sideName, svg, t } from "../page.js";

/** @import { Move } from "../page.js" */
/** @import { Piece, Study } from "./engine.js" */
/** @import { Board } from "../board.js" */

export class Editor {
  /** @param {Board} board @param {Study} study @param {{ done: (study: Study) => void, cancel: () => void }} owner */
  constructor(board, study, owner) {
    this.board = board;
    this.frame = study.frame;
    this.options = optionsText(study.frame.options);
    this.palette = study.palette ?? [];
    this.owner = owner;
    this.chosen = this.palette[1] ?? this.palette[0];
    const { board: data, side, scores } = study.position;
    this.cells = data.cells.map(
      (number) => this.palette.find(({ mark }) => mark.text === data.marks[number].text) ?? this.palette[0],
    );
    this.side = side;
    this.scores = scores ? [...scores] : null;
    /** The position as the server read it. @type {Study | null} */
    this.study = study;
    this.turn = 0;
    this.verdict = h("p.verdict", { role: "status" });
    this.doneButton = button("edit.done", () => this.study && this.owner.done(this.study), "button");
    this.element = h("section.editor", { "aria-label": t("edit.title") });
    this.draw();
    this.allowAllCells();
    this.check();
  }

  /** Makes every cell of the board clickable. */
  allowAllCells() {
    const { rows, cols } = this.frame;
    this.board.suggest([]);
    this.board.markLast(null);
    this.board.allow(
      Array.from({ length: rows * cols }, (_, index) => ({
        move: String(index),
        cells: [[Math.floor(index / cols), index % cols]],
      })),
      this.side,
      { word: t("edit.cell"), exact: true },
    );
  }

  /** @param {Move} move */
  toggleCell({ move }) {
    const index = Number(move);
    this.cells[index] = this.cells[index] === this.chosen ? this.palette[0] : this.chosen;
    this.check();
  }

  /** Draws the board and asks the server whether the position is valid. */
  async check() {
    this.board.set({ marks: this.cells.map(({ mark }) => mark), cells: this.cells.map((_, index) => index) });
    this.board.describe();
    const mine = ++this.turn;
    this.study = null; // the last answer was about another board
    this.doneButton.disabled = true;
    const { cols, game } = this.frame;
    const rows = Array.from({ length: this.frame.rows }, (_, row) =>
      this.cells.slice(row * cols, (row + 1) * cols).map(({ cell }) => cell),
    );
    const edited = { game, options: this.options, rows, side: this.side, scores: this.scores };
    try {
      const study = await ask("/api/positions", edited);
      if (mine !== this.turn) return;
      this.study = study;
      this.showVerdict(study.position.outcome ? t("edit.over") : t("edit.fine"), "fine");
    } catch (error) {
      if (mine === this.turn) this.showVerdict(errorText(error), "wrong");
    }
  }

  /** @param {string} words @param {string} kind */
  showVerdict(words, kind) {
    this.verdict.textContent = words;
    this.verdict.className = `verdict ${kind}`;
    this.doneButton.disabled = !this.study;
  }

  /** @param {Piece} piece */
  pieceIcon({ mark }) {
    const drawn = drawMark(this.frame.game, mark);
    return svg(
      "svg",
      { viewBox: "-50 -50 100 100", "aria-hidden": "true", class: `game-${this.frame.game}` },
      svg("rect.cell", { x: -47, y: -47, width: 94, height: 94, rx: 14 }),
      drawn,
    );
  }

  draw() {
    const choice = (
      /** @type {string} */ group,
      /** @type {boolean} */ checked,
      /** @type {string} */ label,
      /** @type {() => void} */ change,
      /** @type {(Node | string)[]} */ ...inside
    ) =>
      h(
        "label.pick",
        { title: label },
        h("input", { type: "radio", name: group, checked, "aria-label": label, change }),
        h("span", ...inside),
      );
    const pieces = this.palette.map((piece) => {
      const choose = () => (this.chosen = piece);
      const name = markName(this.frame.game, piece.mark);
      return choice("piece", piece === this.chosen, name, choose, this.pieceIcon(piece));
    });
    const sides = this.frame.sides.map((side, index) => {
      const choose = () => ((this.side = index), this.allowAllCells(), this.check());
      return choice("turn", index === this.side, sideName(side), choose, sideMark(index), sideName(side));
    });
    this.element.replaceChildren(
      h("h2", t("edit.title")),
      h("p.dim", t("edit.how")),
      h("fieldset.palette", h("legend", t("edit.palette")), h("div", ...pieces)),
      h("fieldset.turn", h("legend", t("edit.turn")), h("div", ...sides)),
      this.scores ? h("div.points", ...this.scores.map((points, side) => this.pointsField(points, side))) : "",
      this.verdict,
      h(
        "div.actions",
        this.doneButton,
        button("edit.clear", () => this.clear()),
        button("edit.cancel", () => this.owner.cancel()),
      ),
    );
  }

  /** @param {number} points @param {number} side */
  pointsField(points, side) {
    const change = () => this.setScore(side, input.valueAsNumber);
    const input = h("input", { type: "number", min: 0, max: 1000000, value: points, input: change });
    return field(t("edit.points", { side: sideName(this.frame.sides[side]) }), input);
  }

  /** @param {number} side @param {number} points */
  setScore(side, points) {
    if (!this.scores || !(points >= 0)) return;
    this.scores[side] = Math.floor(points);
    this.check();
  }

  clear() {
    this.cells.fill(this.palette[0]);
    this.check();
  }
}
