// The best lines as a list: each move can be looked at on the board and played. Knows no board: it tells its owner.

import { h, t } from "../page.js";
import { plate, worthOf } from "./worth.js";

/** @typedef {import("../page.js").Frame} Frame */
/** @typedef {import("./thinker.js").Thought} Thought */
/** @typedef {import("./worth.js").Where} Where */

const SHOWN = 8;

export class Lines {
  /**
   * @param {number} count
   * @param {{ peek: (moves: string[], from: number) => void, leave: () => void, play: (moves: string[]) => void }} owner
   */
  constructor(count, owner) {
    this.count = count;
    this.owner = owner;
    this.list = h("ol", { class: "lines", "aria-label": t("lines.label"), pointerleave: () => owner.leave() });
    this.depth = h("small", { class: "depth" });
    this.element = h("div", { class: "thoughts" }, this.list, this.depth);
    this.shown = "";
  }

  clear() {
    this.shown = "";
    this.list.replaceChildren(...Array.from({ length: this.count }, () => h("li", { class: "pending" }, h("span", {}, " "))));
    this.depth.textContent = t("lines.thinking");
  }

  /** @param {string} words */
  say(words) {
    this.shown = "";
    this.list.replaceChildren();
    this.depth.textContent = words;
  }

  /** @param {Thought} thought @param {Where} where @param {Frame} frame */
  set(thought, where, frame) {
    const proven = thought.lines.length > 0 && thought.lines.every((line) => line.exact);
    const numbers = { depth: thought.depth, nodes: thought.nodes.toLocaleString(document.documentElement.lang), seconds: thought.seconds.toFixed(1) };
    this.depth.textContent = t(proven ? "lines.proven" : thought.done ? "lines.done" : "lines.depth", numbers);
    const shown = JSON.stringify(thought.lines);
    if (shown === this.shown || this.list.contains(document.activeElement) || this.list.matches(":hover")) {
      if (this.shown) return; // nothing moves away beneath a hand
    }
    this.shown = shown;
    this.list.replaceChildren(...thought.lines.map((line, rank) => this.row(line, rank, where, frame)));
  }

  /** @param {import("./worth.js").Line} line @param {number} rank @param {Where} where @param {Frame} frame */
  row(line, rank, where, frame) {
    const { peek, leave, play } = this.owner;
    const moves = line.moves.slice(0, SHOWN);
    const worth = worthOf(line, where, frame);
    const whole = h("button", { type: "button", class: "whole", pointerenter: () => peek(moves, 0), focus: () => peek(moves, 0), blur: leave, click: () => play(moves.slice(0, 1)) }, plate(worth), h("span", { class: "unseen" }, t("lines.whole", { worth: worth.exact ? t("worth.proven", { worth: worth.long }) : worth.long, moves: moves.join(" ") })));
    return h("li", { class: rank === 0 ? "best" : "" }, whole,
      h("span", { class: "sequence" }, ...moves.map((move, index) =>
        h("button", { type: "button", "aria-label": t("lines.play", { moves: moves.slice(0, index + 1).join(" ") }), pointerenter: () => peek(moves.slice(0, index + 1), index), focus: () => peek(moves.slice(0, index + 1), index), blur: leave, click: () => play(moves.slice(0, index + 1)) }, move),
      )));
  }
}
