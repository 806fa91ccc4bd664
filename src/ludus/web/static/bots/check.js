// What a check found in a version of a bot, and how long its moves took. Pure: data in, elements out.

import { copy, h, say, sentence, svg, t, tCount } from "../page.js";
import { button, download } from "../components.js";

/** @typedef {import("../page.js").Message} Message */
/**
 * @typedef {{ number: number, state: string, protocol: string, language: string, created: string, faults: number,
 *   warnings: number }} VersionLine
 */
/**
 * @typedef {{ verdict: string, text: string, message?: Message, shows: string, command: string, log: string }} Finding
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
  return h("figure.times", h("figcaption", t("bots.times", { clock: clock ?? "" })), h("ol", ...steps.map(row)));
}

/** Returns a finding; one that is not "ok" shows how to reproduce it. @param {Finding} finding */
function findingItem({ verdict, text, message, shows, command, log }) {
  const mark = MARKS[/** @type {keyof typeof MARKS} */ (verdict)] ?? "·";
  const details = [
    shows && h("p.dim", t("bots.shows"), " ", h("code", shows)),
    command &&
      h(
        "p.command",
        h("span.dim", t("bots.reproduce")),
        h("code", command),
        button("bots.copy", () => copy(command, t("bots.copied"))),
      ),
    log && h("details", h("summary", t("bots.output")), h("pre", { tabindex: 0 }, log)),
  ];
  return h(
    "li",
    { class: verdict },
    h("span.sign-mark", { role: "img", "aria-label": t(`bots.finding.${verdict}`) }, mark),
    h("div", h("p", sentence(say(message, text))), ...(verdict === "ok" ? [] : details)),
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
    version.histogram.length > 0 && histogram(version),
    logs && log && h("details.log", h("summary", t("bots.build")), h("pre", { tabindex: 0 }, log)),
    logs &&
      h(
        "p.row.downloads",
        download(`${path}/log`, t("bots.download.log"), "link"),
        download(`${path}/files`, t("bots.download.files"), "link"),
      ),
  );
}
