// Evaluations in words, always from the first side's view. Knows no rules.

import { h, sideMark, sideName, t } from "../page.js";

/** @typedef {import("../page.js").Frame} Frame */
/** @typedef {{ side: number, scores?: [number, number] }} SideToMove */
/**
 * @typedef {{ moves: string[], value: number, exact?: boolean, win_chance: number, plies_to_end?: number | null }} Line
 */
/**
 * `side` is the side that is ahead, or null.
 * @typedef {{ chance: number, side: number | null, short: string, long: string, exact: boolean }} Evaluation
 */

export const percent = (/** @type {number} */ part) => `${Math.round(100 * part)}%`;

/**
 * Returns the evaluation of a line for the first side.
 * @param {Line} line @param {SideToMove} where @param {Frame} frame @returns {Evaluation}
 */
export function evaluationOf(line, { side, scores }, frame) {
  const chance = side === 0 ? line.win_chance : 1 - line.win_chance;
  const value = side === 0 ? line.value : -line.value;
  return makeEvaluation(
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
 * @returns {Evaluation}
 */
export function makeEvaluation(margin, chance, exact, plies, frame) {
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
 * Returns the evaluation of a finished game, or null while it goes on.
 * @param {import("../page.js").Position} position @param {Frame} frame @returns {Evaluation | null}
 */
export function finalEvaluation({ outcome, scores }, frame) {
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
 * Returns the evaluation of a line for the side to move, short enough for a cell of the board.
 * @param {Line} line @param {SideToMove} where @param {Frame} frame
 */
export function shortForMover(line, where, frame) {
  const { side, short, exact } = evaluationOf(line, where, frame);
  if (where.scores) return side === null ? "=" : side === where.side ? short : short.replace("+", "−");
  return exact ? (side === null || side === where.side ? short : `−${short}`) : percent(line.win_chance);
}

/**
 * Returns an evaluation as a small badge: the side by mark and colour, and whether it is proven.
 * @param {Evaluation} evaluation
 */
export function evaluationBadge({ side, short, long, exact }) {
  return h(
    "span",
    { class: `worth${side === null ? "" : ` side${side}`}`, title: exact ? t("worth.proven", { worth: long }) : long },
    side !== null && sideMark(side),
    short,
    exact && h("span.proof", { "aria-hidden": "true" }, "✓"),
  );
}

/** The evaluation bar beside the board. */
export class EvaluationBar {
  constructor() {
    this.fill = h("div.fill");
    this.label = h("span.told");
    this.element = h(
      "div.evaluation",
      { role: "meter", "aria-valuemin": 0, "aria-valuemax": 100 },
      this.fill,
      h("span.half"),
      this.label,
    );
  }

  /** @param {Evaluation | null} evaluation @param {Frame} frame @param {boolean} flipped */
  set(evaluation, frame, flipped) {
    const chance = evaluation?.chance ?? 0.5;
    this.element.style.setProperty("--share", String(chance));
    this.element.classList.toggle("flipped", flipped);
    this.element.classList.toggle("second", evaluation?.side === 1);
    this.element.classList.toggle("proven", evaluation?.exact ?? false);
    this.element.setAttribute("aria-label", t("bar.label", { side: sideName(frame.sides[0]) }));
    this.element.setAttribute("aria-valuenow", String(Math.round(100 * chance)));
    this.element.setAttribute("aria-valuetext", evaluation?.long ?? t("lines.thinking"));
    this.element.title = evaluation?.long ?? "";
    this.label.textContent = evaluation?.short ?? "";
  }
}
