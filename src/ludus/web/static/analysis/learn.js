// Learn from your mistakes: shows the position before each, asks for something better, and has the answer judged.

import { ask, h, sideName, t } from "../page.js";
import { percent } from "./worth.js";

/** @typedef {import("../page.js").Frame} Frame */
/** @typedef {import("../page.js").Move} Move */
/** @typedef {{ number: number, side: number, move: string, grade: string, loss?: number, points?: number | null, win_chance: number, margin?: number | null, exact?: boolean, plies_to_end?: number | null, line: string[] }} Judged */
/** @typedef {{ verdict: "good" | "better" | "no", grade: string, loss?: number, points?: number | null, reply?: string[] }} Answer */

const CANDIDATES = 3;
const LOOK_MS = 1400; // a move that was not it is looked at so long

/** The moves of a side that are worth another look: the bad ones, or without any the inexact ones. @param {Judged[]} judged @param {number} side */
export function mistakesOf(judged, side) {
  const mine = judged.filter((move) => move.side === side);
  const bad = mine.filter(({ grade }) => grade === "mistake" || grade === "blunder");
  return bad.length ? bad : mine.filter(({ grade }) => grade === "inaccuracy");
}

/** What a move cost, in points or in win chance. @param {{ loss?: number, points?: number | null }} move */
export const cost = ({ loss = 0, points }) => (points ? t("cost.points", { n: Math.round(points) }) : t("cost.chance", { n: percent(loss) }));

export class Lesson {
  /**
   * @param {string} match @param {Frame} frame @param {number} side @param {Judged[]} tasks
   * @param {{ show: (ply: number) => Promise<Move[]>, point: (moves: Move[], texts: string[]) => void, tried: (moves: string[]) => Promise<void>, left: () => void }} owner
   */
  constructor(match, frame, side, tasks, owner) {
    this.match = match;
    this.frame = frame;
    this.side = side;
    this.tasks = tasks;
    this.owner = owner;
    this.index = 0;
    this.found = 0;
    /** @type {Move[]} */
    this.legal = [];
    this.settled = false;
    /** Whether an answer is on its way. */
    this.judging = false;
    this.element = h("section", { class: "lesson", "aria-label": t("learn.title") });
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.buttons = h("div", { class: "actions" });
  }

  get task() {
    return this.tasks[this.index];
  }

  /** Sets the next task. */
  async set() {
    this.settled = false;
    const { number, move, grade } = this.task;
    this.verdict.textContent = "";
    this.verdict.className = "verdict";
    this.element.replaceChildren(
      h("div", { class: "what" }, h("h2", {}, t("learn.title")), h("span", { class: "dim" }, t("learn.progress", { n: this.index + 1, of: this.tasks.length }))),
      h("p", {}, t("learn.task", { number, side: sideName(this.frame.sides[this.side]), move, grade: t(`grade.${grade}`), cost: cost(this.task) })),
      h("p", { class: "ask" }, t("learn.ask")),
      this.verdict,
      this.buttons,
    );
    this.offer();
    this.legal = await this.owner.show(number - 1);
  }

  /** Shows what can be done now. */
  offer() {
    const button = (/** @type {string} */ words, /** @type {() => unknown} */ work, kind = "quiet") => h("button", { type: "button", class: kind, click: work }, words);
    const last = this.index + 1 === this.tasks.length;
    this.buttons.replaceChildren(
      ...(this.settled ? [button(last ? t("learn.finish") : t("learn.next"), () => this.next(), "button"), button(t("learn.again"), () => this.set())] : [button(t("learn.hint"), () => this.hint()), button(t("learn.solution"), () => this.solve()), button(t("learn.skip"), () => this.next())]),
      button(t("learn.leave"), () => this.owner.left()),
    );
  }

  /** @param {string} words @param {string} kind */
  say(words, kind) {
    this.verdict.textContent = words;
    this.verdict.className = `verdict ${kind}`;
  }

  /** Judges a move that was tried. @param {Move} move */
  async answer({ move }) {
    if (this.settled || this.judging) return;
    const { number } = this.task;
    this.say(t("learn.judging", { move }), "");
    this.judging = true;
    /** @type {Promise<Answer>} */
    const judged = ask(`/api/matches/${this.match}/review/${number}`, { move });
    const [answer] = await Promise.all([judged, this.owner.tried([move])]).finally(() => (this.judging = false));
    if (this.task.number !== number || this.settled) return;
    if (answer.verdict === "good") {
      this.found += 1;
      this.settled = true;
      this.say(t(move === this.task.line[0] ? "learn.best" : "learn.good", { move }), "fine");
      this.offer();
      return;
    }
    const reply = answer.reply?.slice(0, 3).join(" ") ?? "";
    const words = t(answer.verdict === "better" ? "learn.better" : move === this.task.move ? "learn.same" : "learn.no", { move, cost: cost(answer) });
    this.say([words, reply && t("learn.reply", { reply }), t("learn.retry")].filter(Boolean).join(" "), answer.verdict === "better" ? "near" : "wrong");
    this.judging = true; // until the position is back
    setTimeout(() => {
      this.judging = false;
      if (this.task.number === number && !this.settled) this.owner.show(number - 1);
    }, LOOK_MS);
  }

  /** Points at a few moves, the best one among them. */
  hint() {
    const best = this.legal.find(({ move }) => move === this.task.line[0]);
    if (!best) return;
    const others = this.legal.filter((move) => move !== best && move.move !== this.task.move);
    const step = Math.max(1, Math.floor(others.length / (CANDIDATES - 1)));
    const few = [best, ...others.filter((_, index) => index % step === 0).slice(0, CANDIDATES - 1)];
    this.owner.point(few.sort((a, b) => (a.move < b.move ? -1 : 1)), few.map(() => "?"));
    this.say(t("learn.candidates"), "");
  }

  async solve() {
    this.settled = true;
    this.say(t("learn.was", { line: this.task.line.slice(0, 5).join(" ") }), "");
    this.offer();
    await this.owner.show(this.task.number - 1);
    await this.owner.tried(this.task.line.slice(0, 5));
  }

  next() {
    if (this.index + 1 < this.tasks.length) {
      this.index += 1;
      return this.set();
    }
    this.settled = true;
    this.element.replaceChildren(h("h2", {}, t("learn.title")), h("p", { role: "status" }, t("learn.result", { n: this.found, of: this.tasks.length })), h("div", { class: "actions" }, h("button", { type: "button", class: "button", click: () => this.owner.left() }, t("learn.leave"))));
    return undefined;
  }
}
