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
   * @param {{ peek: (moves: string[], from: number) => void, leave: () => void, play: (moves: string[]) => void }}
   * owner
   */
  constructor(count, owner) {
    this.count = count;
    this.owner = owner;
    this.list = h("ol", {
      class: "lines",
      "aria-label": t("lines.label"),
      pointerleave: () => this.release(),
      focusout: (/** @type {FocusEvent} */ event) =>
        this.list.contains(/** @type {Node | null} */ (event.relatedTarget)) || this.release(),
    });
    this.depth = h("small", { class: "depth" });
    this.element = h("div", { class: "thoughts" }, this.list, this.depth);
    this.shown = "";
    /** Whether a line is looked at: then nothing moves away beneath the hand. */
    this.held = false;
    /** Shows what came meanwhile. @type {(() => void) | null} */
    this.news = null;
    /** Where the pointer was when a line was chosen: new lines beneath a pointer that rests are not pointed at. */
    this.rest = { x: -1, y: -1 };
  }

  /** Looks at no line any more. */
  release() {
    this.held = false;
    this.owner.leave();
    this.news?.();
  }

  clear() {
    this.forget();
    this.list.replaceChildren(
      ...Array.from({ length: this.count }, () => h("li", { class: "pending" }, h("span", {}, " "))),
    );
    this.depth.textContent = t("lines.thinking");
  }

  forget() {
    this.shown = "";
    this.held = false;
    this.news = null;
  }

  /** @param {string} words */
  say(words) {
    this.forget();
    this.list.replaceChildren();
    this.depth.textContent = words;
  }

  /** @param {Thought} thought @param {Where} where @param {Frame} frame */
  set(thought, where, frame) {
    const proven = thought.lines.length > 0 && thought.lines.every((line) => line.exact);
    const numbers = {
      depth: thought.depth,
      nodes: thought.nodes.toLocaleString(document.documentElement.lang),
      seconds: thought.seconds.toFixed(1),
    };
    this.depth.textContent = t(proven ? "lines.proven" : thought.done ? "lines.done" : "lines.depth", numbers);
    const shown = JSON.stringify(thought.lines);
    if (shown === this.shown) return;
    this.news = this.held ? () => this.set(thought, where, frame) : null;
    if (this.held) return;
    this.shown = shown;
    this.list.replaceChildren(...thought.lines.map((line, rank) => this.row(line, rank, where, frame)));
  }

  /** @param {import("./worth.js").Line} line @param {number} rank @param {Where} where @param {Frame} frame */
  row(line, rank, where, frame) {
    const moves = line.moves.slice(0, SHOWN);
    const worth = worthOf(line, where, frame);
    const words = t("lines.whole", {
      worth: worth.exact ? t("worth.proven", { worth: worth.long }) : worth.long,
      moves: moves.join(" "),
    });
    return h(
      "li",
      { class: rank === 0 ? "best" : "" },
      this.button("whole", moves, 0, moves.slice(0, 1), plate(worth), h("span", { class: "unseen" }, words)),
      h(
        "span",
        { class: "sequence" },
        ...moves.map((move, index) => {
          const there = moves.slice(0, index + 1);
          const button = this.button("", there, index, there, move);
          button.setAttribute("aria-label", t("lines.play", { moves: there.join(" ") }));
          return button;
        }),
      ),
    );
  }

  /**
   * A button that shows moves on the board when it is pointed at, and plays some when it is chosen.
   * @param {string} kind @param {string[]} seen @param {number} from @param {string[]} played @param {...(Node |
   * string)} inside
   */
  button(kind, seen, from, played, ...inside) {
    const rests = (/** @type {PointerEvent} */ event) =>
      // clicks are told in whole pixels, other events in parts
      Math.abs(event.clientX - this.rest.x) <= 1 && Math.abs(event.clientY - this.rest.y) <= 1;
    const look = () => {
      this.held = true;
      this.owner.peek(seen, from);
    };
    return h(
      "button",
      {
        type: "button",
        class: kind,
        pointerenter: (/** @type {PointerEvent} */ event) => rests(event) || look(),
        focus: look,
        click: (/** @type {MouseEvent} */ event) => {
          this.rest = { x: event.clientX, y: event.clientY };
          this.owner.play(played);
        },
      },
      ...inside,
    );
  }
}
