// The list of the best lines: each move can be previewed on the board and played. Knows no board: its owner does that.

import { gap, h, numberText, say, t } from "../page.js";
import { evaluationBadge, evaluationOf } from "./evaluation.js";

/** @import { Frame } from "../page.js" */
/** @import { EngineInfo as Thought } from "./engine.js" */
/** @import { Line, SideToMove as Where } from "./evaluation.js" */

const SHOWN = 8;

export class LineList {
  /**
   * @param {number} count
   * @param {{ preview: (moves: string[], from: number) => void, endPreview: () => void, play: (moves: string[]) => void
   * }}
   * owner
   */
  constructor(count, owner) {
    this.count = count;
    this.owner = owner;
    this.list = h("ol.lines", {
      "aria-label": t("lines.label"),
      pointerleave: () => this.release(),
      focusout: (/** @type {FocusEvent} */ event) =>
        this.list.contains(/** @type {Node | null} */ (event.relatedTarget)) || this.release(),
    });
    this.why = h("p.why", { "aria-live": "polite" });
    this.depth = h("small.depth");
    this.element = h("div.thoughts", this.list, this.why, this.depth);
    this.shown = "";
    /** Whether a line is being previewed: then the list must not change under the pointer. */
    this.held = false;
    /** Draws the lines that arrived during a preview. @type {(() => void) | null} */
    this.pendingUpdate = null;
    /** Where the pointer was at the last click: a new line that appears under a resting pointer is not previewed. */
    this.clickedAt = { x: -1, y: -1 };
  }

  /** Ends the preview of a line. */
  release() {
    this.held = false;
    this.owner.endPreview();
    this.pendingUpdate?.();
  }

  clear() {
    this.reset();
    this.list.replaceChildren(...Array.from({ length: this.count }, () => h("li.pending", h("span", " "))));
    this.depth.textContent = t("lines.thinking");
  }

  reset() {
    this.shown = this.why.textContent = "";
    this.held = false;
    this.pendingUpdate = null;
  }

  /** @param {string} words */
  showMessage(words) {
    this.reset();
    this.list.replaceChildren();
    this.depth.textContent = words;
  }

  /** @param {Thought} info @param {Where} where @param {Frame} frame */
  set(info, where, frame) {
    const proven = info.lines.length > 0 && info.lines.every((line) => line.exact);
    const numbers = { depth: info.depth, nodes: numberText(info.nodes), seconds: info.seconds.toFixed(1) };
    this.depth.textContent = t(proven ? "lines.proven" : info.done ? "lines.done" : "lines.depth", numbers);
    const why = (info.why ?? []).map((reason) => say(reason)).join(gap());
    if (why !== this.why.textContent) this.why.textContent = why;
    const shown = JSON.stringify(info.lines);
    if (shown === this.shown) return;
    this.pendingUpdate = this.held ? () => this.set(info, where, frame) : null;
    if (this.held) return;
    this.shown = shown;
    this.list.replaceChildren(...info.lines.map((line, rank) => this.row(line, rank, where, frame)));
  }

  /** @param {Line} line @param {number} rank @param {Where} where @param {Frame} frame */
  row(line, rank, where, frame) {
    const moves = line.moves.slice(0, SHOWN);
    const evaluation = evaluationOf(line, where, frame);
    const words = t("lines.whole", {
      worth: evaluation.exact ? t("worth.proven", { worth: evaluation.long }) : evaluation.long,
      moves: moves.join(" "),
    });
    return h(
      "li",
      { class: rank === 0 ? "best" : "" },
      this.button("whole", moves, 0, moves.slice(0, 1), evaluationBadge(evaluation), h("span.unseen", words)),
      h(
        "span.sequence",
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
   * Returns a button that previews moves when it is pointed at, and plays some when it is clicked.
   * @param {string} kind @param {string[]} previewed @param {number} from @param {string[]} played @param {...(Node |
   * string)} inside
   */
  button(kind, previewed, from, played, ...inside) {
    const atRest = (/** @type {PointerEvent} */ event) =>
      // clicks have whole pixels, other events have fractions
      Math.abs(event.clientX - this.clickedAt.x) <= 1 && Math.abs(event.clientY - this.clickedAt.y) <= 1;
    const look = () => {
      this.held = true;
      this.owner.preview(previewed, from);
    };
    return h(
      "button",
      {
        class: kind,
        pointerenter: (/** @type {PointerEvent} */ event) => atRest(event) || look(),
        focus: look,
        click: (/** @type {MouseEvent} */ event) => {
          this.clickedAt = { x: event.clientX, y: event.clientY };
          this.owner.play(played);
        },
      },
      ...inside,
    );
  }
}
