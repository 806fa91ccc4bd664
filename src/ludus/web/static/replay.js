// What the pages with moves to step through share: seats beside the board, the list of moves, step buttons, keys, and
// the board after some plies. Knows no rules and no page.

import { h, icon, say, sideMark, t } from "./page.js";

/** @import { BoardData, Child, Ply } from "./page.js" */

/** Describes what a move did. @param {Ply} ply */
export const describeMove = ({ effects = [] }) => effects.map((effect) => say(effect)).join(t("comma"));

/** Describes a move for screen readers. @param {Ply} ply @param {string} side its name @param {...string} more */
export const moveSentence = (ply, side, ...more) =>
  [t("announce.move", { side, move: ply.move }), describeMove(ply), ...more].filter(Boolean).join(". ");

/**
 * Returns the buttons that step through moves, in this order.
 * @param {(name: string) => string} labels
 * @param {Record<"first" | "back" | "next" | "last", () => unknown>} work
 */
export const stepButtons = (labels, work) =>
  /** @type {const} */ (["first", "back", "next", "last"]).map((name) => {
    const label = labels(name);
    return h("button.quiet", { "aria-label": label, title: label, click: work[name] }, icon(name));
  });

/**
 * Returns the board after the last of some plies that shows one, or the board at the start.
 * @param {(Ply | null)[]} plies @param {BoardData} start
 */
export const boardAfter = (plies, start) =>
  plies
    .filter((ply) => ply?.steps.length)
    .at(-1)
    ?.steps.at(-1)?.board ?? start;

/** The players, one above and one below the board. */
export class Seats {
  constructor() {
    this.bars = [h("div.player.side0"), h("div.player.side1")];
    this.top = h("div.seat");
    this.bottom = h("div.seat");
  }

  /**
   * @param {{ turn: number | null, winner?: number | null, flipped: boolean, scores?: [number, number] }} state
   * @param {{ name: Child, detail?: string | null, rating?: Child, more?: Child }[]} players
   */
  show({ turn, winner, flipped, scores }, players) {
    this.bars.forEach((bar, side) => {
      const { name, detail, rating, more } = players[side];
      bar.classList.toggle("turn", turn === side);
      bar.classList.toggle("won", winner === side);
      bar.replaceChildren(
        sideMark(side),
        h("span.who", h("span.title", h("strong", name), rating), detail ? h("small", detail) : null),
        h("span.score", scores ? String(scores[side]) : ""),
      );
      if (more) bar.append(more);
    });
    const below = flipped ? 1 : 0;
    this.bottom.replaceChildren(this.bars[below]);
    this.top.replaceChildren(this.bars[1 - below]);
  }
}

/** A list of moves as buttons. Buttons stay while their moves do, so that none loses the focus. */
export class MoveList {
  /** @param {(ply: number) => unknown} chosen @param {() => Child[]} [more] what else a button has */
  constructor(chosen, more = () => []) {
    this.chosen = chosen;
    this.more = more;
    /** @type {Ply[]} */
    this.plies = [];
    this.before = 0;
    /** @type {HTMLButtonElement[]} */
    this.buttons = [];
    this.element = h("ol.moves", { "aria-label": t("match.moves") });
  }

  /** @param {Ply[]} plies @param {number} [before] how many plies come before them */
  show(plies, before = 0) {
    const kept = before === this.before ? this.plies : [];
    const same = kept.filter((ply, index) => plies[index] === ply).length;
    const added = plies.slice(same).map((ply, index) => this.button(ply, before + same + index + 1));
    this.plies = plies;
    this.before = before;
    this.buttons = [...this.buttons.slice(0, same), ...added];
    for (const item of [...this.element.children].slice(same)) item.remove();
    this.element.append(...added.map((button) => h("li", button)));
    this.element.hidden = plies.length === 0;
  }

  /** @param {Ply} ply @param {number} number */
  button(ply, number) {
    const settings = { class: `side${ply.side}`, title: describeMove(ply), click: () => this.chosen(number) };
    return h("button", settings, h("span.no", String(number)), sideMark(ply.side), ply.move, ...this.more());
  }

  /** Marks one of the listed moves and makes it visible in the list. @param {number} index */
  select(index) {
    this.buttons.forEach((button, at) => {
      button.classList.toggle("current", at === index);
      if (at === index) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    const { scrollTop, clientHeight } = this.element;
    const { offsetTop = scrollTop, offsetHeight = 0 } = this.buttons[index] ?? {};
    if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight)
      this.element.scrollTop = offsetTop - clientHeight / 2;
  }
}

/**
 * Runs the work of a key, except where the key belongs to something else: a field, a dialog, or a button for space.
 * @param {KeyboardEvent} event @param {Record<string, () => unknown>} keys
 */
export function runKey(event, keys) {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement];
  if (typing.some((kind) => target instanceof kind) || !Object.hasOwn(keys, key)) return;
  if (key === " " && (target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  keys[key]();
}
