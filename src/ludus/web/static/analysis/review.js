// The review of a game: win-chance graph, moves with their grades, a summary for each side. Judges nothing itself.

import { h, say, sideMark, sideName, t, tCount, toast } from "../page.js";
import { listen } from "../components.js";
import { MoveList } from "../replay.js";
import { commentOn } from "./comment.js";
import { Graph } from "./graph.js";
import { mistakesOf } from "./learn.js";
import { percent } from "./evaluation.js";

/** @import { Child, Frame, Message, Outcome, Ply } from "../page.js" */
/** @import { Judged } from "./learn.js" */
/**
 * @typedef {{ total: number, since?: number, moves?: Judged[], done?: boolean, turning_point?: number, failed?: string,
 *   failure?: Message }} ReviewUpdate
 */

const SYMBOLS = { best: "★", good: "", inaccuracy: "?!", mistake: "?", blunder: "??" };
const GRADES = /** @type {(keyof typeof SYMBOLS)[]} */ (Object.keys(SYMBOLS));
const BAD = ["inaccuracy", "mistake", "blunder"];

export class ReviewPanel {
  /**
   * @param {string} match @param {Frame} frame @param {Ply[]} plies @param {Outcome | undefined} outcome
   * @param {{ own: number | null, jump: (ply: number) => void, learn: (side: number, tasks: Judged[]) => void }} owner
   * with the side of the person who looks, if it is one
   */
  constructor(match, frame, plies, outcome, owner) {
    this.frame = frame;
    this.plies = plies;
    this.outcome = outcome;
    this.owner = owner;
    /** @type {Judged[]} */
    this.judged = [];
    /** @type {number | undefined} */
    this.turning = undefined;
    this.done = false;
    this.at = 0;
    this.graph = new Graph(plies.length, owner.jump);
    this.progress = h("progress", { max: Math.max(1, plies.length), value: 0, "aria-label": t("review.progress") });
    this.commentLine = h("p.comment", { role: "status" });
    this.list = new MoveList(owner.jump, () => [h("span.sign", { "aria-hidden": "true" }), h("span.unseen")]);
    this.list.show(plies);
    this.summary = h("div.summary");
    this.element = h(
      "section.review",
      { "aria-label": t("review.title") },
      h("div.picture", this.graph.picture, this.progress),
      this.commentLine,
      this.list.element,
      this.summary,
    );
    this.source = listen(`/api/matches/${match}/review/events`, (update) => this.update(update));
  }

  leave() {
    this.source.close();
  }

  /** @param {ReviewUpdate} update */
  update(update) {
    this.judged.length = Math.min(this.judged.length, update.since ?? 0);
    this.judged.push(...(update.moves ?? []));
    this.turning = update.turning_point;
    this.done = update.done ?? false;
    if (update.done || update.failed) this.source.close();
    if (update.failed) toast(say(update.failure, update.failed));
    this.progress.value = this.judged.length;
    this.progress.hidden = this.done;
    for (const entry of update.moves ?? []) this.drawGrade(entry);
    this.drawGraph();
    if (this.done) this.drawSummary();
    this.showPly(this.at);
  }

  /** @param {Judged} entry */
  drawGrade({ number, grade, side }) {
    const button = this.list.buttons[number - 1];
    const place = button?.querySelector(".sign");
    if (!button || !place) return;
    place.textContent = SYMBOLS[/** @type {keyof typeof SYMBOLS} */ (grade)];
    place.className = `sign ${grade}`;
    const words = button.querySelector(".unseen");
    if (words)
      words.textContent = `${t("comma")}${sideName(this.frame.sides[side])}${t("comma")}${t(`grade.${grade}`)}`;
    button.title = t(`grade.${grade}`);
  }

  /** Returns the first side's win chance after some plies, or null while it is unknown. @param {number} ply */
  winChance(ply) {
    if (ply < this.judged.length) return this.judged[ply].win_chance;
    if (ply === this.plies.length && this.done && this.outcome)
      return this.outcome.winner === undefined || this.outcome.winner === null ? 0.5 : 1 - this.outcome.winner;
    return null;
  }

  drawGraph() {
    const points = [];
    for (let ply = 0; ply <= this.plies.length; ply++) {
      const chance = this.winChance(ply);
      if (chance !== null) points.push({ ply, chance });
    }
    const spots = this.judged
      .filter(({ grade }) => BAD.includes(grade))
      .map(({ number, grade, side, move }) => ({
        ply: number,
        chance: this.winChance(number) ?? 0.5,
        grade,
        side,
        words: `${number}. ${move}: ${t(`grade.${grade}`)}`,
      }));
    this.graph.draw(points, spots);
  }

  drawSummary() {
    const sides = [0, 1].map((side) => this.judged.filter((move) => move.side === side));
    const mean = (/** @type {Judged[]} */ moves) =>
      moves.length ? moves.reduce((sum, { loss = 0 }) => sum + loss, 0) / moves.length : 0;
    const row = (/** @type {Child[]} */ title, /** @type {(moves: Judged[]) => string} */ text) =>
      h("tr", h("th", { scope: "row" }, ...title), ...sides.map((moves) => h("td", text(moves))));
    const heads = this.frame.sides.map((name, side) => h("th", { scope: "col" }, sideMark(side), sideName(name)));
    const grades = GRADES.map((grade) => {
      const sign = h("span.sign", { class: grade, "aria-hidden": "true" }, SYMBOLS[grade] || "·");
      return row([sign, t(`grades.${grade}`)], (moves) => String(moves.filter((move) => move.grade === grade).length));
    });
    const average = row([h("span.sign"), t("review.mean")], (moves) => percent(mean(moves)));
    const { turning } = this;
    this.summary.replaceChildren(
      h(
        "div.actions",
        ...(this.owner.own === 1 ? [1, 0] : [0, 1]).map((side) => this.learnButton(side)),
        turning !== undefined &&
          h("button.quiet", { click: () => this.owner.jump(turning) }, t("review.turning", { n: turning })),
      ),
      h("table", h("thead", h("tr", h("td"), ...heads)), h("tbody", ...grades, average)),
    );
  }

  /** Returns the button that begins a lesson, if a side made mistakes. @param {number} side */
  learnButton(side) {
    const tasks = mistakesOf(this.judged, side);
    if (!tasks.length) return null;
    const { own } = this.owner;
    return h(
      "button.learn",
      { class: own === null || own === side ? "button" : "quiet", click: () => this.owner.learn(side, tasks) },
      own === side ? t("learn.title") : t("learn.start", { side: sideName(this.frame.sides[side]) }),
      h("small", tCount("learn.count", tasks.length)),
    );
  }

  /** Marks the ply that is on the board. @param {number} ply */
  showPly(ply) {
    this.at = ply;
    this.graph.at(ply);
    this.list.select(ply - 1);
    this.commentLine.replaceChildren(...this.comment(ply));
  }

  /** Returns the comment on a move. @param {number} ply @returns {(Node | string)[]} */
  comment(ply) {
    const entry = this.judged[ply - 1];
    if (!entry) return [this.done ? (ply ? "" : t("review.start")) : t("review.busy")];
    return commentOn(entry, this.judged[ply]);
  }
}
