// What decided a game that somebody has lost: every move is judged, then the most costly one is shown in words, with a
// better one. Judges nothing itself.

import { listen } from "../components.js";
import { gap, h, loadWords, say, t } from "../page.js";
import { commentOn } from "./comment.js";

/** @import { Judged } from "./learn.js" */
/** @import { ReviewUpdate } from "./review.js" */

/**
 * Shows it in an element; returns the stream, which ends with the page.
 * @param {HTMLElement} place @param {string} match @param {(ply: number) => unknown} jump to a ply
 */
export async function showTurningPoint(place, match, jump) {
  await loadWords("analysis");
  const progress = h("progress", { max: 1, value: 0, "aria-label": t("review.progress") });
  const words = h("p", { role: "status" }, t("review.busy"));
  place.replaceChildren(words, progress);
  /** @type {Judged[]} */
  const judged = [];
  const update = (/** @type {ReviewUpdate} */ { since = 0, moves = [], total, done, failed, failure, ...found }) => {
    judged.splice(since, judged.length, ...moves);
    progress.value = judged.length / total;
    if (!done && !failed) return;
    source.close();
    progress.remove();
    const turning = found.turning_point;
    if (failed) return void (words.textContent = say(failure, failed));
    if (!turning) return void (words.textContent = t("turning.none"));
    jump(turning);
    words.replaceChildren(t("turning.move", { n: turning }), gap(), ...commentOn(judged[turning - 1], judged[turning]));
    place.append(
      h(
        "div.actions",
        h("a.quiet", { href: `/analysis/${match}?ply=${turning - 1}` }, t("turning.better")),
        h("a.quiet", { href: `/analysis/${match}` }, t("learn.title")),
      ),
    );
  };
  const source = listen(`/api/matches/${match}/review/events`, update);
  return source;
}
