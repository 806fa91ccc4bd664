// The address of a study: fetches it and shows one of its chapters on the page of the analysis.

import { positionQuery } from "../analysis/engine.js";
import { AnalysisPage } from "../analysis/page.js";
import { loadLook } from "../look.js";
import { RequestError, ask, loadAssets } from "../page.js";
import { SavedStudy, saves } from "../studies/saved.js";

/** @import { StudyView } from "../studies/saved.js" */

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, [id]) {
  await saves();
  /** @type {[StudyView, unknown, unknown]} */
  const [view] = await Promise.all([
    ask(`/api/studies/${encodeURIComponent(id)}`),
    loadAssets("analysis"),
    loadAssets("study"),
  ]);
  const number = Number(new URLSearchParams(location.search).get("chapter") ?? 0);
  const chapter = view.chapters[number];
  if (!chapter) throw new RequestError("", 404);
  const query = { game: view.game, options: chapter.options ?? "", text: chapter.nodes[0].text };
  const [study, look] = await Promise.all([ask(`/api/positions?${positionQuery(query)}`), loadLook(view.game)]);
  const saved = new SavedStudy(view, number);
  const page = new AnalysisPage(main, study, look, saved.header(), null, 0, saved);
  document.title = `${view.title} · Ludus`;
  return () => page.leave();
}
