// What is said about a judged move. Takes data and gives elements.

import { gap, h, t } from "../page.js";
import { percent } from "./evaluation.js";

/** @import { Judged } from "./learn.js" */

/** Returns what a move cost, in points or in win chance. @param {{ loss?: number, points?: number | null }} move */
export const cost = ({ loss = 0, points }) =>
  points ? t("cost.points", { n: Math.round(points) }) : t("cost.chance", { n: percent(loss) });

/**
 * Returns the comment on a move: how good it was, what was better, and what it allows.
 * @param {Judged} entry @param {Judged} [next] the move after it @returns {(Node | string)[]}
 */
export function commentOn(entry, next) {
  const { grade, move, line, exact, plies_to_end: plies, side, win_chance: chance } = entry;
  const head = h("strong", { class: grade }, t(`comment.${grade}`, { move }));
  if (grade === "best") return [head];
  const wins = exact && plies && chance > 0.5 === (side === 0);
  const better = t(wins ? "comment.wins" : "comment.better", {
    line: line.slice(0, 4).join(" "),
    n: plies ?? 0,
    cost: cost(entry),
  });
  const answer = next && next.side !== side ? t("comment.allows", { move, line: next.line.slice(0, 3).join(" ") }) : "";
  return [head, gap() + [better, grade !== "good" && answer].filter(Boolean).join(gap())];
}
