// What a line is worth, in words that a person can feel, and always from the first side's view. Knows no rules.

import { h, sideMark, sideName, t } from "../page.js";

/** @typedef {import("../page.js").Frame} Frame */
/** @typedef {{ side: number, scores?: [number, number] }} Where */
/**
 * @typedef {{ moves: string[], value: number, exact?: boolean, win_chance: number, plies_to_end?: number | null }} Line
 */
/**
 * `side` is who stands better, null when nobody does.
 * @typedef {{ chance: number, side: number | null, short: string, long: string, exact: boolean }} Worth
 */

export const percent = (/** @type {number} */ part) => `${Math.round(100 * part)}%`;

/**
 * What a line is worth to the first side.
 * @param {Line} line @param {Where} where @param {Frame} frame @returns {Worth}
 */
export function worthOf(line, { side, scores }, frame) {
  const chance = side === 0 ? line.win_chance : 1 - line.win_chance;
  const value = side === 0 ? line.value : -line.value;
  return valued(
    scores ? scores[0] - scores[1] + value : null,
    chance,
    line.exact ?? false,
    line.plies_to_end ?? null,
    frame,
  );
}

/**
 * @param {number | null} margin points that the first side wins by, in games with points
 * @param {number} chance @param {boolean} exact @param {number | null} plies @param {Frame} frame
 * @returns {Worth}
 */
export function valued(margin, chance, exact, plies, frame) {
  if (margin !== null) {
    const points = Math.round(Math.abs(margin));
    const side = points === 0 ? null : margin > 0 ? 0 : 1;
    const name = side === null ? "" : sideName(frame.sides[side]);
    const key = side === null ? "worth.level" : exact ? "worth.by" : "worth.ahead";
    return { chance, side, exact, short: side === null ? "=" : `+${points}`, long: t(key, { side: name, n: points }) };
  }
  const side = Math.abs(chance - 0.5) < 0.005 ? null : chance > 0.5 ? 0 : 1;
  const name = side === null ? "" : sideName(frame.sides[side]);
  if (!exact)
    return {
      chance,
      side,
      exact,
      short: percent(Math.max(chance, 1 - chance)),
      long:
        side === null ? t("worth.even") : t("worth.chance", { side: name, n: percent(Math.max(chance, 1 - chance)) }),
    };
  if (side === null) return { chance, side, exact, short: "=", long: t("worth.tie") };
  return {
    chance,
    side,
    exact,
    short: plies ? t("worth.in.short", { n: plies }) : t("worth.won.short"),
    long: plies ? t("worth.in", { side: name, n: plies }) : t("worth.won", { side: name }),
  };
}

/**
 * What an ended game is worth.
 * @param {import("../page.js").Position} position @param {Frame} frame @returns {Worth | null}
 */
export function ended({ outcome, scores }, frame) {
  if (!outcome) return null;
  const side = outcome.winner ?? null;
  const chance = side === null ? 0.5 : 1 - side;
  const by = scores && outcome.reason === "rules" ? Math.abs(scores[0] - scores[1]) : null;
  return {
    chance,
    side,
    exact: true,
    short: side === null ? "=" : by === null ? "★" : `+${by}`,
    long: side === null ? t("end.draw") : t("end.wins", { winner: sideName(frame.sides[side]) }),
  };
}

/**
 * What a line is worth to the side to move, as short as it stands on a cell.
 * @param {Line} line @param {Where} where @param {Frame} frame
 */
export function forMover(line, where, frame) {
  const { side, short, exact } = worthOf(line, where, frame);
  if (where.scores) return side === null ? "=" : side === where.side ? short : short.replace("+", "−");
  return exact ? (side === null || side === where.side ? short : `−${short}`) : percent(line.win_chance);
}

/** A value as a small plate: whose it is by mark and colour, proven or not. @param {Worth} worth */
export function plate({ side, short, long, exact }) {
  return h(
    "span",
    { class: `worth${side === null ? "" : ` side${side}`}`, title: exact ? t("worth.proven", { worth: long }) : long },
    side !== null && sideMark(side),
    short,
    exact && h("span", { class: "proof", "aria-hidden": "true" }, "✓"),
  );
}

/** The bar beside the board. */
export class Bar {
  constructor() {
    this.fill = h("div", { class: "fill" });
    this.label = h("span", { class: "told" });
    this.element = h(
      "div",
      { class: "evaluation", role: "meter", "aria-valuemin": 0, "aria-valuemax": 100 },
      this.fill,
      h("span", { class: "half" }),
      this.label,
    );
  }

  /** @param {Worth | null} worth @param {Frame} frame @param {boolean} flipped */
  set(worth, frame, flipped) {
    const chance = worth?.chance ?? 0.5;
    this.element.style.setProperty("--share", String(chance));
    this.element.classList.toggle("flipped", flipped);
    this.element.classList.toggle("second", worth?.side === 1);
    this.element.classList.toggle("proven", worth?.exact ?? false);
    this.element.setAttribute("aria-label", t("bar.label", { side: sideName(frame.sides[0]) }));
    this.element.setAttribute("aria-valuenow", String(Math.round(100 * chance)));
    this.element.setAttribute("aria-valuetext", worth?.long ?? t("lines.thinking"));
    this.element.title = worth?.long ?? "";
    this.label.textContent = worth?.short ?? "";
  }
}
