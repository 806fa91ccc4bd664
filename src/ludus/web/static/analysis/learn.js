// Learn from your mistakes: shows the position before each one, asks for a better move and has it judged.

import { button } from "../components.js";
import { ask, gap, h, sideName, t } from "../page.js";
import { cost } from "./comment.js";

/** @import { Frame, Move } from "../page.js" */
/**
 * @typedef {{ number: number, side: number, move: string, grade: string, loss?: number, points?: number | null,
 *   win_chance: number, margin?: number | null, exact?: boolean, plies_to_end?: number | null, line: string[] }} Judged
 */
/**
 * @typedef {{ verdict: "good" | "better" | "no", grade: string, loss?: number, points?: number | null, reply?: string[]
 *   }} Answer
 */

const CANDIDATES = 3;
const REVIEW_MS = 1400; // how long a wrong move stays on the board

/**
 * Returns the mistakes of a side: its bad moves, or its inaccuracies if it has no bad moves.
 * @param {Judged[]} judged @param {number} side
 */
export function mistakesOf(judged, side) {
  const mine = judged.filter((move) => move.side === side);
  const bad = mine.filter(({ grade }) => grade === "mistake" || grade === "blunder");
  return bad.length ? bad : mine.filter(({ grade }) => grade === "inaccuracy");
}

export class Lesson {
  /**
   * @param {string} match @param {Frame} frame @param {number} side @param {Judged[]} tasks
   * @param {{ show: (ply: number) => Promise<Move[]>, suggest: (moves: Move[], text: string) => void, play: (moves:
   * string[]) => Promise<void>, close: () => void }} owner
   */
  constructor(match, frame, side, tasks, owner) {
    this.match = match;
    this.frame = frame;
    this.side = side;
    this.tasks = tasks;
    this.owner = owner;
    this.index = 0;
    /** The numbers of the solved tasks. @type {Set<number>} */
    this.found = new Set();
    this.solved = false;
    /** Whether an answer is being judged, or a wrong move is still on the board. */
    this.judging = false;
    /** Counts attempts, so that a late answer to an earlier one is dropped. */
    this.turn = 0;
    this.resetTimer = 0;
    this.progress = h("span.dim");
    this.question = h("p");
    this.verdict = h("p.verdict", { role: "status" });
    this.buttons = h("div.actions");
    this.element = h(
      "section.mistakes",
      { "aria-label": t("learn.title") },
      h("div.what", h("h2", t("learn.title")), this.progress),
      this.question,
      h("p.ask", t("learn.ask")),
      this.verdict,
      this.buttons,
    );
  }

  get task() {
    return this.tasks[this.index];
  }

  /** Shows the current task. */
  async showTask() {
    this.cancelPending();
    this.solved = false;
    const { number, move, grade } = this.task;
    this.progress.textContent = t("learn.progress", { n: this.index + 1, of: this.tasks.length });
    this.question.textContent = t("learn.task", {
      number,
      side: sideName(this.frame.sides[this.side]),
      move,
      grade: t(`grade.${grade}`),
      cost: cost(this.task),
    });
    this.showVerdict("", "");
    this.drawButtons();
    await this.owner.show(number - 1);
  }

  /** Draws the buttons for what can be done now. */
  drawButtons() {
    const last = this.index + 1 === this.tasks.length;
    const held = this.buttons.contains(document.activeElement);
    const buttons = this.solved
      ? [
          button(last ? "learn.finish" : "learn.next", () => this.next(), "button"),
          button("learn.again", () => this.showTask()),
        ]
      : [
          button("learn.hint", () => this.hint()),
          button("learn.solution", () => this.showSolution()),
          button("learn.skip", () => this.next()),
        ];
    const leave = button("learn.leave", () => this.leave());
    this.buttons.replaceChildren(...buttons, leave);
    if (held) this.buttons.querySelector("button")?.focus(); // keep the focus for keyboard users
  }

  /** @param {string} words @param {string} kind */
  showVerdict(words, kind) {
    this.verdict.textContent = words;
    this.verdict.className = `verdict ${kind}`;
  }

  /** Has a move judged that the person tried. @param {Move} move */
  async answer({ move }) {
    if (this.solved || this.judging) return;
    const turn = this.cancelPending();
    const { number } = this.task;
    this.showVerdict(t("learn.judging", { move }), "");
    this.judging = true;
    try {
      const [answer] = await Promise.all([
        ask(`/api/matches/${this.match}/review/${number}`, { move }),
        this.owner.play([move]),
      ]);
      if (turn === this.turn) this.showAnswer(move, answer);
    } catch (error) {
      if (turn === this.turn) await this.showTask();
      throw error;
    }
  }

  /** Shows how good the tried move was. @param {string} move @param {Answer} answer */
  showAnswer(move, answer) {
    if (answer.verdict === "good") {
      this.found.add(this.index);
      this.solved = true;
      this.showVerdict(t(move === this.task.line[0] ? "learn.best" : "learn.good", { move }), "fine");
      this.drawButtons();
      return;
    }
    const reply = answer.reply?.slice(0, 3).join(" ") ?? "";
    const words = t(
      answer.verdict === "better" ? "learn.better" : move === this.task.move ? "learn.same" : "learn.no",
      { move, cost: cost(answer) },
    );
    this.showVerdict(
      [words, reply && t("learn.reply", { reply }), t("learn.retry")].filter(Boolean).join(gap()),
      answer.verdict === "better" ? "near" : "wrong",
    );
    this.resetTimer = setTimeout(async () => {
      await this.owner.show(this.task.number - 1);
      this.judging = false;
    }, REVIEW_MS);
  }

  /** Drops what is under way (an answer, a wrong move on the board) and returns the number of the new attempt. */
  cancelPending() {
    clearTimeout(this.resetTimer);
    this.judging = false;
    return ++this.turn;
  }

  leave() {
    this.cancelPending();
    this.owner.close();
  }

  /** Marks a few moves on the board, the best one most. */
  async hint() {
    const turn = this.cancelPending();
    const legal = await this.owner.show(this.task.number - 1);
    const best = legal.find(({ move }) => move === this.task.line[0]);
    if (turn !== this.turn || !best) return;
    const others = legal.filter((move) => move !== best && move.move !== this.task.move);
    const step = Math.max(1, Math.floor(others.length / (CANDIDATES - 1)));
    const few = [best, ...others.filter((_, index) => index % step === 0).slice(0, CANDIDATES - 1)];
    this.owner.suggest(few, "?");
    this.showVerdict(t(best.cells?.length ? "learn.candidates" : "learn.candidates.pass"), "");
  }

  async showSolution() {
    const turn = this.cancelPending();
    this.solved = true;
    this.showVerdict(t("learn.was", { line: this.task.line.slice(0, 5).join(" ") }), "");
    this.drawButtons();
    await this.owner.show(this.task.number - 1);
    if (turn === this.turn) await this.owner.play(this.task.line.slice(0, 5));
  }

  next() {
    if (this.index + 1 < this.tasks.length) {
      this.index += 1;
      return this.showTask();
    }
    this.cancelPending();
    this.solved = true;
    const leave = button("learn.leave", () => this.leave(), "button");
    this.element.replaceChildren(
      h("h2", t("learn.title")),
      h("p", { role: "status" }, t("learn.result", { n: this.found.size, of: this.tasks.length })),
      h("div.actions", leave),
    );
    this.element.querySelector("button")?.focus();
    return undefined;
  }
}
