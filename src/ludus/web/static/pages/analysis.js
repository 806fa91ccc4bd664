// The address of the analysis: fetches the position or the game that it names. The page itself is in ../analysis.

import { showChoice } from "../analysis/choose.js";
import { AnalysisPage } from "../analysis/page.js";
import { optionsText, positionQuery } from "../analysis/engine.js";
import { gameChoices, select } from "../components.js";
import { loadLook } from "../look.js";
import { ask, gameName, go, h, loadAssets, say, showInstead, t } from "../page.js";

/** @import { Game } from "../page.js" */
/** @import { Study } from "../analysis/engine.js" */
/** @import { PlayedGame } from "../analysis/page.js" */
/** @import { View } from "./match.js" */

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, [id]) {
  const asked = new URLSearchParams(location.search);
  /** @type {[Game[], unknown]} */
  const [games] = await Promise.all([ask("/api/games"), loadAssets("analysis")]);
  if (!id && !asked.has("game")) return showChoice(main);
  /** @type {[Study, PlayedGame | null] | null} */
  const found = id ? await fetchGame(id) : [await ask(`/api/positions${location.search}`), null];
  if (!found) return showInstead(`/match/${id}`); // it is still being played
  const [study, played] = found;
  const at = id ? Number(asked.get("ply") ?? Infinity) : 0;
  const header = played ? gameHeader(study, played) : boardHeader(study, games);
  const look = await loadLook(study.frame.game);
  const page = new AnalysisPage(main, study, look, header, played, Number.isNaN(at) ? 0 : at);
  return () => page.leave();
}

/**
 * Fetches a finished game with its positions; null for one that is still being played.
 * @param {string} id @returns {Promise<[Study, PlayedGame] | null>}
 */
async function fetchGame(id) {
  const name = encodeURIComponent(id);
  const positions = ask(`/api/matches/${name}/positions`).catch((error) => {
    if (error.status !== 409) throw error;
  });
  /** @type {[View, string[] | undefined]} */
  const [view, texts] = await Promise.all([ask(`/api/matches/${name}`), positions]);
  if (!texts) return null;
  const { game, options } = view.frame;
  const study = await ask(`/api/positions?${positionQuery({ game, options: optionsText(options), text: texts[0] })}`);
  const path = texts.map((text, index) => ({ text, ply: index ? (view.plies ?? [])[index - 1] : null }));
  return [study, { id: view.id, seats: view.seats, outcome: view.position.outcome, ending: view.ending, path }];
}

/** @param {Study} study @param {PlayedGame} played */
const gameHeader = ({ frame }, { id, ending }) =>
  h(
    "div.headed",
    h(
      "div.what",
      h("strong", gameName(frame.game, frame.title)),
      h("a.link", { href: `/match/${id}` }, t("analysis.watch")),
    ),
    ending ? h("p", say(ending)) : null,
  );

/** Returns the choice of another game or board. @param {Study} study @param {Game[]} games */
function boardHeader({ frame, options, start }, games) {
  const address = (/** @type {Record<string, string>} */ query) => `/analysis?${new URLSearchParams(query)}`;
  const { game } = frame;
  const others = (games.find(({ name }) => name === game)?.boards ?? []).filter((board) => Object.keys(board).length);
  const boards = others.map((board) => [
    address({ game, options: optionsText(board) }),
    Object.values(board).join(" · "),
  ]);
  const shuffle = () => {
    const seed = String(Math.floor(Math.random() * 1e6));
    go(address({ game, options: options ?? "", seed }));
  };
  return h(
    "div.chosen",
    select(gameChoices(games), game, { "aria-label": t("play.game") }, (name) => go(address({ game: name }))),
    boards.length > 1 &&
      select([["", `${frame.rows}×${frame.cols}`], ...boards], "", { "aria-label": t("play.board") }, go),
    start.scores && h("button.quiet", { click: shuffle }, t("analysis.shuffle")),
  );
}
