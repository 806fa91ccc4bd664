// Learn from your mistakes: shows the position before each, asks for something better, and has the answer judged.

import { ask, h, sideName, t } from "../page.js";
import { percent } from "./worth.js";

/** @typedef {import("../page.js").Frame} Frame */
/** @typedef {import("../page.js").Move} Move */
/**
 * @typedef {{ number: number, side: number, move: string, grade: string, loss?: number, points?: number | null,
 *   win_chance: number, margin?: number | null, exact?: boolean, plies_to_end?: number | null, line: string[] }} Judged
 */
/**
 * @typedef {{ verdict: "good" | "better" | "no", grade: string, loss?: number, points?: number | null, reply?: string[]
 *   }} Answer
 */

const CANDIDATES = 3;
const LOOK_MS = 1400; // a move that was not it is looked at so long

/**
 * The moves of a side that are worth another look: the bad ones, or without any the inexact ones.
 * @param {Judged[]} judged @param {number} side
 */
export function mistakesOf(judged, side) {
  const mine = judged.filter((move) => move.side === side);
  const bad = mine.filter(({ grade }) => grade === "mistake" || grade === "blunder");
  return bad.length ? bad : mine.filter(({ grade }) => grade === "inaccuracy");
}

/** What a move cost, in points or in win chance. @param {{ loss?: number, points?: number | null }} move */
export const cost = ({ loss = 0, points }) =>
  points ? t("cost.points", { n: Math.round(points) }) : t("cost.chance", { n: percent(loss) });

export class Lesson {
  /**
   * @param {string} match @param {Frame} frame @param {number} side @param {Judged[]} tasks
   * @param {{ show: (ply: number) => Promise<Move[]>, point: (moves: Move[], texts: string[]) => void, tried: (moves:
   * string[]) => Promise<void>, left: () => void }} owner
   */
  constructor(match, frame, side, tasks, owner) {
    this.match = match;
    this.frame = frame;
    this.side = side;
    this.tasks = tasks;
    this.owner = owner;
    this.index = 0;
    /** The tasks that were solved, by their numbers. @type {Set<number>} */
    this.found = new Set();
    this.settled = false;
    /** Whether an answer is judged, or a move that was not it is looked at. */
    this.judging = false;
    /** Counts what was begun: what comes late belongs to nothing. */
    this.turn = 0;
    this.looking = 0;
    this.progress = h("span", { class: "dim" });
    this.question = h("p", {});
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.buttons = h("div", { class: "actions" });
    this.element = h(
      "section",
      { class: "lesson", "aria-label": t("learn.title") },
      h("div", { class: "what" }, h("h2", {}, t("learn.title")), this.progress),
      this.question,
      h("p", { class: "ask" }, t("learn.ask")),
      this.verdict,
      this.buttons,
    );
  }

  get task() {
    return this.tasks[this.index];
  }

  /** Sets the next task. */
  async set() {
    this.renew();
    this.settled = false;
    const { number, move, grade } = this.task;
    this.progress.textContent = t("learn.progress", { n: this.index + 1, of: this.tasks.length });
    this.question.textContent = t("learn.task", {
      number,
      side: sideName(this.frame.sides[this.side]),
      move,
      grade: t(`grade.${grade}`),
      cost: cost(this.task),
    });
    this.say("", "");
    this.offer();
    await this.owner.show(number - 1);
  }

  /** Shows what can be done now. */
  offer() {
    const button = (/** @type {string} */ words, /** @type {() => unknown} */ work, kind = "quiet") =>
      h("button", { type: "button", class: kind, click: work }, words);
    const last = this.index + 1 === this.tasks.length;
    const held = this.buttons.contains(document.activeElement);
    this.buttons.replaceChildren(
      ...(this.settled
        ? [
            button(last ? t("learn.finish") : t("learn.next"), () => this.next(), "button"),
            button(t("learn.again"), () => this.set()),
          ]
        : [
            button(t("learn.hint"), () => this.hint()),
            button(t("learn.solution"), () => this.solve()),
            button(t("learn.skip"), () => this.next()),
          ]),
      button(t("learn.leave"), () => this.leave()),
    );
    if (held) this.buttons.querySelector("button")?.focus(); // who uses keys stays here
  }

  /** @param {string} words @param {string} kind */
  say(words, kind) {
    this.verdict.textContent = words;
    this.verdict.className = `verdict ${kind}`;
  }

  /** Judges a move that was tried. @param {Move} move */
  async answer({ move }) {
    if (this.settled || this.judging) return;
    const turn = this.renew();
    const { number } = this.task;
    this.say(t("learn.judging", { move }), "");
    this.judging = true;
    try {
      const [answer] = await Promise.all([
        ask(`/api/matches/${this.match}/review/${number}`, { move }),
        this.owner.tried([move]),
      ]);
      if (turn === this.turn) this.judge(move, answer);
    } catch (error) {
      if (turn === this.turn) await this.set();
      throw error;
    }
  }

  /** Says what a move that was tried is worth. @param {string} move @param {Answer} answer */
  judge(move, answer) {
    if (answer.verdict === "good") {
      this.found.add(this.index);
      this.settled = true;
      this.say(t(move === this.task.line[0] ? "learn.best" : "learn.good", { move }), "fine");
      this.offer();
      return;
    }
    const reply = answer.reply?.slice(0, 3).join(" ") ?? "";
    const words = t(
      answer.verdict === "better" ? "learn.better" : move === this.task.move ? "learn.same" : "learn.no",
      { move, cost: cost(answer) },
    );
    this.say(
      [words, reply && t("learn.reply", { reply }), t("learn.retry")].filter(Boolean).join(" "),
      answer.verdict === "better" ? "near" : "wrong",
    );
    this.looking = setTimeout(async () => {
      await this.owner.show(this.task.number - 1);
      this.judging = false;
    }, LOOK_MS);
  }

  /** Ends what is under way: an answer that is judged, a move that is looked at. Gives the number of what comes now. */
  renew() {
    clearTimeout(this.looking);
    this.judging = false;
    return ++this.turn;
  }

  leave() {
    this.renew();
    this.owner.left();
  }

  /** Points at a few moves, and stresses the best one: it comes first. */
  async hint() {
    const turn = this.renew();
    const legal = await this.owner.show(this.task.number - 1);
    const best = legal.find(({ move }) => move === this.task.line[0]);
    if (turn !== this.turn || !best) return;
    const others = legal.filter((move) => move !== best && move.move !== this.task.move);
    const step = Math.max(1, Math.floor(others.length / (CANDIDATES - 1)));
    const few = [best, ...others.filter((_, index) => index % step === 0).slice(0, CANDIDATES - 1)];
    this.owner.point(
      few,
      few.map(() => "?"),
    );
    this.say(t(best.cells?.length ? "learn.candidates" : "learn.candidates.pass"), "");
  }

  async solve() {
    const turn = this.renew();
    this.settled = true;
    this.say(t("learn.was", { line: this.task.line.slice(0, 5).join(" ") }), "");
    this.offer();
    await this.owner.show(this.task.number - 1);
    if (turn === this.turn) await this.owner.tried(this.task.line.slice(0, 5));
  }

  next() {
    if (this.index + 1 < this.tasks.length) {
      this.index += 1;
      return this.set();
    }
    this.renew();
    this.settled = true;
    this.element.replaceChildren(
      h("h2", {}, t("learn.title")),
      h("p", { role: "status" }, t("learn.result", { n: this.found.size, of: this.tasks.length })),
      h(
        "div",
        { class: "actions" },
        h("button", { type: "button", class: "button", click: () => this.leave() }, t("learn.leave")),
      ),
    );
    this.element.querySelector("button")?.focus();
    return undefined;
  }
}
