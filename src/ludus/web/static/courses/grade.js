// A grade with its reasons: each rule's points, and the games behind them. Pure: data in, elements out.

import { h, playerName, say, t, tCount, tOr } from "../page.js";
import { findingDetails } from "../bots/check.js";
import { button, intervalPlot, scrollTable } from "../components.js";

/** @import { Child, Message } from "../page.js" */
/**
 * @typedef {{ match: string, seat: number, opponent: string, points: number, fault: string, fault_message?: Message |
 *   null }} Game
 */
/**
 * @typedef {{ rule: string, title: string, points: number, most: number, reason: string, open: boolean, by_hand?:
 *   boolean, title_message?: Message | null, reason_message?: Message | null, interval: [number, number] | null, games:
 *   Game[] }} Rule
 */
/**
 * @typedef {{ title: string, points: number, reason: string, title_message?: Message | null, reason_message?: Message |
 *   null }} Limit
 */
/** @typedef {import("../bots/check.js").Finding} Finding */
/**
 * @typedef {{ id: string, name: string, total: number, handed_in: string, trouble: string, doubt?: string, failed?:
 *   string, findings: string[], check: { passed: boolean, problems?: number, findings: Finding[] } | null, ranks:
 *   Record<string, number>, rules: Rule[], limits?: Limit[], folder?: string, trouble_message?: Message | null,
 *   failed_message?: Message | null, finding_messages?: Message[] }} Grade
 */

export const pointsText = (/** @type {number} */ value) => String(Math.round(value * 100) / 100);

/** Returns a mark for full, some or no points; the text beside it says the same. @param {Rule} rule */
function ruleMark(rule) {
  if (rule.open) return h("span.dim", "…");
  const full = rule.most > 0 ? rule.points >= rule.most : rule.points >= 0;
  return h("span", { class: full ? "good" : rule.points > 0 ? "" : "bad" }, full ? "✓" : rule.points > 0 ? "◐" : "✗");
}

/** @param {Game[]} games */
function gameList(games) {
  const won = games.filter(({ points }) => points === 1).length;
  return h(
    "details",
    h("summary", t("grade.games", { n: games.length, won })),
    h(
      "ul.lines.games",
      ...games.map((game) =>
        h(
          "li",
          h(
            "a",
            { href: `/match/${game.match}` },
            t(game.seat ? "grade.second" : "grade.first", { opponent: playerName(game.opponent) }),
          ),
          " ",
          h(
            "span",
            { class: game.points ? "" : "bad" },
            say(game.fault_message, game.fault) ||
              t(game.points === 1 ? "grade.won" : game.points ? "grade.drawn" : "grade.lost"),
          ),
        ),
      ),
    ),
  );
}

/** @typedef {{ set: (rule: Rule) => unknown, withdraw: (rule: Rule) => unknown }} Overriding */

/** @param {Grade} grade @param {Overriding | null} override */
function rulesTable(grade, override) {
  const title = (/** @type {string} */ words, /** @type {Child} */ mark = null) =>
    h("th.entry.text", { scope: "row" }, mark, mark && " ", words);
  const limits = (grade.limits ?? []).map((limit) =>
    h(
      "tr",
      title(say(limit.title_message, limit.title)),
      h("td", h("b", pointsText(limit.points))),
      h("td.text", say(limit.reason_message, limit.reason)),
      override && h("td"),
    ),
  );
  const rules = grade.rules.map((rule) =>
    h(
      "tr",
      title(say(rule.title_message, rule.title), ruleMark(rule)),
      h("td", h("b", pointsText(rule.points)), h("small", ` / ${pointsText(rule.most)}`)),
      h(
        "td.text",
        rule.interval && ruleInterval(rule.interval),
        " ",
        say(rule.reason_message, rule.reason),
        rule.games.length > 0 && gameList(rule.games),
      ),
      override && overrideCell(grade, rule, override),
    ),
  );
  /** @type {([string, string] | string | false)[]} */
  const heads = [
    ["text", t("grade.rule")],
    t("grade.points"),
    ["text", t("grade.why")],
    override !== null && ["act", t("tournament.actions")],
  ];
  return scrollTable("rules", t("grade.rules"), heads, [...rules, ...limits]);
}

/** @param {[number, number]} interval of a share */
function ruleInterval([low, high]) {
  return intervalPlot(low, null, high, `${Math.round(100 * low)} – ${Math.round(100 * high)} %`);
}

/** Returns the buttons to set points by hand. @param {Grade} grade @param {Rule} rule @param {Overriding} override */
function overrideCell(grade, rule, override) {
  const names = { rule: say(rule.title_message, rule.title), student: grade.id };
  return h(
    "td",
    button("grade.override", () => override.set(rule), "quiet small", t("grade.override.of", names)),
    rule.by_hand &&
      button("grade.withdraw", () => override.withdraw(rule), "quiet small", t("grade.withdraw.of", names)),
  );
}

/** Returns the result of a check in words. @param {Grade} grade */
function checkSummary({ check }) {
  const problems = check?.problems ?? (check?.findings ?? []).filter(({ verdict }) => verdict === "reject").length;
  return t("grade.check", { verdict: problems ? tCount("check.problems", problems) : t("check.ready") });
}

/** Returns the findings of a check and other notes for the student. @param {Grade} grade */
function findingsList(grade) {
  const found = grade.check?.findings ?? [];
  if (!grade.trouble && !grade.failed && !grade.findings.length && !found.length) return null;
  return h(
    "div.findings",
    grade.trouble && h("p.fault", say(grade.trouble_message, grade.trouble)),
    grade.failed && h("p.fault", say(grade.failed_message, grade.failed)),
    ...grade.findings.map((sentence, index) => h("p", say(grade.finding_messages?.[index], sentence))),
    found.length > 0 &&
      h(
        "details",
        { open: !grade.check?.passed },
        h("summary", checkSummary(grade)),
        h(
          "ul.lines",
          ...found.map((finding) =>
            h(
              "li",
              h(
                "strong",
                { class: finding.verdict === "reject" ? "bad" : "" },
                tOr(`verdict.${finding.verdict}`, finding.verdict),
              ),
              " ",
              say(finding.message, finding.text),
              ...findingDetails(finding),
            ),
          ),
        ),
      ),
  );
}

/**
 * Returns the elements of a whole grade.
 * @param {Grade} grade @param {number} most @param {Overriding | null} [override]
 */
export function gradeParts(grade, most, override = null) {
  const ranks = Object.entries(grade.ranks);
  return [
    h("p.total", h("strong", pointsText(grade.total)), h("span.dim", ` / ${pointsText(most)}`)),
    ranks.length > 0 && h("p.dim", ranks.map(([name, rank]) => t("grade.rank", { name, n: rank })).join(" · ")),
    findingsList(grade),
    rulesTable(grade, override),
  ];
}
