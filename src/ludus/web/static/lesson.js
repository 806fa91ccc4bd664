// How to play a game: its goal and a few steps as small boards that play them. The steps come from the game's own
// folder by the server; a game without a lesson shows nothing. Knows no rules.

import { showScene } from "./board.js";
import { scrollRegion } from "./components.js";
import { loadLook } from "./look.js";
import { ask, h, say, t } from "./page.js";

/** @import { Frame, Message } from "./page.js" */
/** @import { Scene } from "./board.js" */
/** @typedef {{ goal?: Message, hint?: Message, steps?: (Scene & { words: Message })[] }} Lesson */

/** @type {Map<string, Promise<Lesson>>} */
const lessons = new Map();

/** Fetches the lesson of a game, once. @param {string} game @returns {Promise<Lesson>} */
export function fetchLesson(game) {
  const known = lessons.get(game) ?? ask(`/api/lessons/${encodeURIComponent(game)}`).catch(() => ({}));
  lessons.set(game, known);
  return known;
}

/**
 * Returns the goal of a game in one line, for a board with these options.
 * @param {Lesson} lesson @param {Record<string, number | string>} [options]
 */
export const goalText = ({ goal }, options) =>
  goal ? t("lesson.goal", { goal: t(goal.code, { ...goal.params, ...options }) }) : "";

/**
 * Returns the steps of a game's lesson as boards in motion, until it is over; null for a game without a lesson.
 * @param {string} game @param {AbortSignal} over
 */
export async function lessonSteps(game, over) {
  const [{ steps = [] }, look] = await Promise.all([fetchLesson(game), loadLook(game)]);
  if (!steps.length || over.aborted) return null;
  const items = steps.map((step) =>
    h("li", h("div.picture", { "aria-hidden": "true" }, showScene(step, look, over).element), h("p", say(step.words))),
  );
  return scrollRegion(t("lesson.title"), h("ol.lesson", ...items));
}

/**
 * Returns the lesson of a game to open beside its board; a game without one shows nothing.
 * @param {Frame} frame @param {AbortSignal} over
 */
export function lessonDetails({ game, options }, over) {
  const toggle = async () => {
    if (!details.open || inside.hasChildNodes()) return;
    const steps = await lessonSteps(game, over);
    if (steps) inside.replaceChildren(h("p", goalText(await fetchLesson(game), options)), steps);
  };
  const inside = h("div");
  const details = h("details.how", { toggle, hidden: true }, h("summary", t("lesson.title")), inside);
  fetchLesson(game).then(({ steps = [] }) => (details.hidden = !steps.length));
  return details;
}
