// What a check found in a version of a bot, and how long its moves took. Pure: data in, elements out.

import { optionsText, positionQuery } from "../analysis/engine.js";
import { Board } from "../board.js";
import { ask, copy, h, handler, say, sentence, svg, t, tCount } from "../page.js";
import { button, download } from "../components.js";
import { loadLook } from "../look.js";
import { clockName } from "../setup.js";

/** @import { Message } from "../page.js" */
/**
 * @typedef {{ number: number, state: string, protocol: string, language: string, created: string, faults: number,
 *   warnings: number }} VersionLine
 */
/**
 * A finding with a position has its game, its options and the cells to mark; those of older versions may not. The
 * failures that are like it are in `also`.
 * @typedef {{ verdict: string, text: string, message?: Message | null, command: string, log: string, shows?: string,
 *   game?: string, options?: Record<string, number | string>, cells?: import("../page.js").Cell[],
 *   also?: Finding[] }} Finding
 */
/**
 * @typedef {VersionLine & { clock: string | null, games: number, slowest: number | null, findings: Finding[],
 *   histogram: { low: number, high: number, moves: number }[], log: string }} Version
 */

const MARKS = { reject: "✗", warning: "!", ok: "✓" };
const ORDER = Object.keys(MARKS);

/** @param {number} seconds */
function timeText(seconds) {
  if (seconds < 0.001) return "0";
  return seconds < 1 ? `${+(seconds * 1000).toPrecision(2)} ms` : `${+seconds.toPrecision(2)} s`;
}

/** Returns a histogram of the times of moves. @param {Version} version */
function histogram({ histogram: steps, clock }) {
  const most = Math.max(1, ...steps.map(({ moves }) => moves));
  const row = (/** @type {Version["histogram"][0]} */ { low, high, moves }) =>
    h(
      "li",
      h("span", `${timeText(low)} – ${timeText(high)}`),
      svg(
        "svg",
        { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { width: (100 * moves) / most, height: 10, rx: 2 }),
      ),
      h("span.n", String(moves)),
    );
  return h(
    "figure.times",
    h("figcaption", t("bots.times", { clock: clockName(clock ?? "none") })),
    h("ol", ...steps.map(row)),
  );
}

/**
 * Fetches a position and draws it with cells marked.
 * @param {HTMLElement} place @param {string} query @param {import("../page.js").Cell[]} cells
 */
async function drawPosition(place, query, cells) {
  /** @type {import("../analysis/engine.js").Study} */
  const { frame, position } = await ask(`/api/positions?${query}`);
  const board = new Board(frame, await loadLook(frame.game));
  board.set(position.board);
  board.outline(cells);
  place.replaceChildren(board.element);
}

/**
 * Does something when an element comes into view: a check may have dozens of boards.
 * @param {Element} element @param {() => void} work
 */
function whenSeen(element, work) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    work();
  });
  observer.observe(element);
}

/** Returns a position, or a command with one, as code that breaks at spaces and after rows. @param {string} text */
const code = (text) => h("code", ...text.split(/(?<=[ /])/).flatMap((part) => [h("span", part), h("wbr")]));

/** Returns the position of a finding as its board, which is a link to its analysis. @param {Finding} finding */
function positionLink({ shows = "", game, options = {}, cells = [] }) {
  if (!shows) return null;
  const text = code(shows);
  if (!game) return h("p.dim", t("bots.shows"), " ", text);
  const query = positionQuery({ game, options: optionsText(options), text: shows });
  const link = h("a.position", { href: `/analysis?${query}`, title: t("bots.analyse") });
  const board = h("span.small-board");
  whenSeen(
    board,
    handler(() => drawPosition(board, query, cells)),
  );
  link.append(board, text);
  return link;
}

/** Returns what shows a finding again: its position, the command, the output. @param {Finding} finding */
export function findingDetails(finding) {
  const { command, log, also = [] } = finding;
  return [
    positionLink(finding),
    command &&
      h(
        "p.command",
        h("span.dim", t("bots.reproduce")),
        code(command),
        button("bots.copy", () => copy(command, t("bots.copied"))),
      ),
    log && h("details", h("summary", t("bots.output")), h("pre", { tabindex: 0 }, log)),
    also.length > 0 &&
      h("details", h("summary", tCount("bots.finding.also", also.length)), h("ul.findings", ...also.map(findingItem))),
  ];
}

/**
 * Returns a finding; one that is not "ok" shows how to reproduce it.
 * @param {Finding} finding @returns {HTMLElement}
 */
function findingItem(finding) {
  const { verdict, text, message } = finding;
  const mark = MARKS[/** @type {keyof typeof MARKS} */ (verdict)] ?? "·";
  const details = verdict === "ok" ? [] : findingDetails(finding);
  return h(
    "li",
    { class: verdict },
    h("span.sign-mark", { role: "img", "aria-label": t(`bots.finding.${verdict}`) }, mark),
    h("div", h("p", sentence(say(message, text))), ...details),
  );
}

/** Returns the results of a check. @param {string} path @param {Version} version @param {boolean} logs */
export function checkResults(path, version, logs) {
  const rank = ({ verdict = "ok" }) => ORDER.indexOf(verdict);
  const found = [...version.findings].sort((one, other) => rank(one) - rank(other));
  const { state, faults, log } = version;
  return h(
    "div.results",
    h("p", { class: `verdict ${state}` }, state === "failed" ? tCount("check.problems", faults) : t("check.ready")),
    h("ul.findings", ...found.map(findingItem)),
    version.histogram.some(({ moves }) => moves) && histogram(version),
    logs && log && h("details.log", h("summary", t("bots.build")), h("pre", { tabindex: 0 }, log)),
    logs &&
      h(
        "p.row.downloads",
        download(`${path}/log`, t("bots.download.log"), "link"),
        download(`${path}/files`, t("bots.download.files"), "link"),
      ),
  );
}
