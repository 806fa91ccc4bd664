// Evaluations in words, always from the first side's view. Knows no rules.

import { h, sideMark, sideName, t } from "../page.js";

/** @import { Frame, Position } from "../page.js" */
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
  const margin = scores ? scores[0] - scores[1] + value : null;
  return makeEvaluation(margin, chance, line.exact ?? false, line.plies_to_end ?? null, frame);
}

/**
 * @param {number | null} margin points that the first side wins by, in games with points
 * @param {number} chance @param {boolean} exact @param {number | null} plies @param {Frame} frame
 * @returns {Evaluation}
 */
function makeEvaluation(margin, chance, exact, plies, frame) {
  if (margin !== null) {
    const points = Math.round(Math.abs(margin));
    const side = points === 0 ? null : margin > 0 ? 0 : 1;
    const name = side === null ? "" : sideName(frame.sides[side]);
    const key = side === null ? "worth.level" : exact ? "worth.by" : "worth.ahead";
    return { chance, side, exact, short: side === null ? "=" : `+${points}`, long: t(key, { side: name, n: points }) };
  }
  const side = Math.abs(chance - 0.5) < 0.005 ? null : chance > 0.5 ? 0 : 1;
  const name = side === null ? "" : sideName(frame.sides[side]);
  if (!exact) {
    const short = percent(Math.max(chance, 1 - chance));
    const long = side === null ? t("worth.even") : t("worth.chance", { side: name, n: short });
    return { chance, side, exact, short, long };
  }
  if (side === null) return { chance, side, exact, short: "=", long: t("worth.tie") };
  const short = plies ? t("worth.in.short", { n: plies }) : t("worth.won.short");
  const long = plies ? t("worth.in", { side: name, n: plies }) : t("worth.won", { side: name });
  return { chance, side, exact, short, long };
}

/**
 * Returns the evaluation of a finished game, or null while it goes on.
 * @param {Position} position @param {Frame} frame @returns {Evaluation | null}
 */
export function finalEvaluation({ outcome, scores }, frame) {
  if (!outcome) return null;
  const side = outcome.winner ?? null;
  const chance = side === null ? 0.5 : 1 - side;
  const by = scores && outcome.reason === "rules" ? Math.abs(scores[0] - scores[1]) : null;
  const short = side === null ? "=" : by === null ? "★" : `+${by}`;
  const long = side === null ? t("rules.draw") : t("rules.wins", { winner: sideName(frame.sides[side]) });
  return { chance, side, exact: true, short, long };
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

/** The evaluation of the current position: a bar beside the board, and a headline. */
export class EvaluationView {
  /** @param {Frame} frame */
  constructor(frame) {
    /** The last evaluation stays, pale, until there is another. @type {Evaluation | null} */
    this.last = null;
    this.fill = h("div.fill");
    this.label = h("span.value");
    this.bar = h(
      "div.evaluation",
      {
        role: "meter",
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "aria-label": t("bar.label", { side: sideName(frame.sides[0]) }),
      },
      this.fill,
      h("span.half"),
      this.label,
    );
    this.headline = h("p.headline", { role: "status" });
  }

  /** @param {Evaluation | null} evaluation @param {boolean} flipped @param {boolean} over whether the game is over */
  show(evaluation, flipped, over) {
    const shown = (this.last = evaluation ?? this.last);
    const chance = shown?.chance ?? 0.5;
    const { bar, headline } = this;
    bar.style.setProperty("--share", String(chance));
    bar.setAttribute("aria-valuenow", String(Math.round(100 * chance)));
    bar.setAttribute("aria-valuetext", shown?.long ?? t("lines.thinking"));
    bar.title = shown?.long ?? "";
    this.label.textContent = shown?.short ?? "";
    const states = { flipped, second: shown?.side === 1, proven: shown?.exact === true, stale: !evaluation };
    for (const [name, holds] of Object.entries(states)) bar.classList.toggle(name, holds);
    headline.classList.toggle("stale", !evaluation);
    headline.replaceChildren(shown ? h("span", shown.long) : "…");
    if (shown && shown.side !== null) headline.prepend(sideMark(shown.side));
    if (shown?.exact && !over) headline.append(h("span.proof", t("worth.proof")));
  }
}
