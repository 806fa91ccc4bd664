// A grade that explains itself: every point with its reason, and the games behind it. Pure: data in, elements out.

import { counted, h, playerName, t, tOr } from "../page.js";
import { interval } from "../events.js";
import { translated } from "../said.js";

/** @typedef {{ match: string, seat: number, opponent: string, points: number, fault: string }} Game */
/**
 * @typedef {{ rule: string, title: string, points: number, most: number, reason: string, open: boolean, by_hand?:
 *   boolean, interval: [number, number] | null, games: Game[] }} Rule
 */
/** @typedef {{ title: string, points: number, reason: string }} Limit */
/** @typedef {{ verdict: string, text: string, command: string, log: string }} Finding */
/**
 * @typedef {{ id: string, name: string, total: number, handed_in: string, trouble: string, doubt?: string, failed?:
 *   string, findings: string[], check: { passed: boolean, problems?: number, findings: Finding[] } | null, ranks:
 *   Record<string, number>, rules: Rule[], limits?: Limit[], folder?: string }} Grade
 */

export const number = (/** @type {number} */ value) => String(Math.round(value * 100) / 100);

/** A mark for full, some or no points; the words beside it say the same. @param {Rule} rule */
function mark(rule) {
  if (rule.open) return h("span", { class: "dim" }, "…");
  const full = rule.most > 0 ? rule.points >= rule.most : rule.points >= 0;
  return h("span", { class: full ? "good" : rule.points > 0 ? "" : "bad" }, full ? "✓" : rule.points > 0 ? "◐" : "✗");
}

/** @param {Game[]} games */
function gamesOf(games) {
  const won = games.filter(({ points }) => points === 1).length;
  return h(
    "details",
    {},
    h("summary", {}, t("grade.games", { n: games.length, won })),
    h(
      "ul",
      { class: "lines games" },
      ...games.map((game) =>
        h(
          "li",
          {},
          h(
            "a",
            { href: `/match/${game.match}` },
            t(game.seat ? "grade.second" : "grade.first", { opponent: playerName(game.opponent) }),
          ),
          " ",
          h(
            "span",
            { class: game.points ? "" : "bad" },
            translated(game.fault) || t(game.points === 1 ? "grade.won" : game.points ? "grade.drawn" : "grade.lost"),
          ),
        ),
      ),
    ),
  );
}

/** @typedef {{ set: (rule: Rule) => void, withdraw: (rule: Rule) => void }} Overriding */

/** @param {Grade} grade @param {Overriding | null} override */
export function rules(grade, override) {
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": t("grade.rules") },
    h(
      "table",
      { class: "rules" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col", class: "text" }, t("grade.rule")),
          h("th", { scope: "col" }, t("grade.points")),
          h("th", { scope: "col", class: "text" }, t("grade.why")),
          override && h("th", { scope: "col" }, h("span", { class: "unseen" }, t("tournament.actions"))),
        ),
      ),
      h(
        "tbody",
        {},
        ...grade.rules.map((rule) =>
          h(
            "tr",
            {},
            h("th", { scope: "row", class: "entry text" }, mark(rule), " ", translated(rule.title)),
            h("td", {}, h("b", {}, number(rule.points)), h("small", {}, ` / ${number(rule.most)}`)),
            h(
              "td",
              { class: "text" },
              rule.interval &&
                interval(
                  rule.interval[0],
                  null,
                  rule.interval[1],
                  `${Math.round(100 * rule.interval[0])} – ${Math.round(100 * rule.interval[1])} %`,
                ),
              " ",
              translated(rule.reason),
              rule.games.length > 0 && gamesOf(rule.games),
            ),
            override &&
              h(
                "td",
                {},
                h(
                  "button",
                  {
                    type: "button",
                    class: "quiet small",
                    click: () => override.set(rule),
                    "aria-label": t("grade.override.of", { rule: translated(rule.title), student: grade.id }),
                  },
                  t("grade.override"),
                ),
                rule.by_hand &&
                  h(
                    "button",
                    {
                      type: "button",
                      class: "quiet small",
                      click: () => override.withdraw(rule),
                      "aria-label": t("grade.withdraw.of", { rule: translated(rule.title), student: grade.id }),
                    },
                    t("grade.withdraw"),
                  ),
              ),
          ),
        ),
        ...(grade.limits ?? []).map((limit) =>
          h(
            "tr",
            {},
            h("th", { scope: "row", class: "entry text" }, translated(limit.title)),
            h("td", {}, h("b", {}, number(limit.points))),
            h("td", { class: "text" }, translated(limit.reason)),
            override && h("td"),
          ),
        ),
      ),
    ),
  );
}

/** What a check comes to, in the words of every other place. @param {Grade} grade */
function verdictOf({ check }) {
  const problems = check?.problems ?? (check?.findings ?? []).filter(({ verdict }) => verdict === "reject").length;
  return t("grade.check", { verdict: problems ? counted("check.problems", problems) : t("check.ready") });
}

/** What a check found, and what else the student should know. @param {Grade} grade */
export function findings(grade) {
  const found = grade.check?.findings ?? [];
  if (!grade.trouble && !grade.failed && !grade.findings.length && !found.length) return null;
  return h(
    "div",
    { class: "findings" },
    grade.trouble && h("p", { class: "fault" }, translated(grade.trouble)),
    grade.failed && h("p", { class: "fault" }, translated(grade.failed)),
    ...grade.findings.map((sentence) => h("p", {}, translated(sentence))),
    found.length > 0 &&
      h(
        "details",
        { open: !grade.check?.passed },
        h("summary", {}, verdictOf(grade)),
        h(
          "ul",
          { class: "lines" },
          ...found.map(({ verdict, text, command, log }) =>
            h(
              "li",
              {},
              h("strong", { class: verdict === "reject" ? "bad" : "" }, tOr(`verdict.${verdict}`, verdict)),
              " ",
              translated(text),
              command && h("code", {}, command),
              log && h("pre", {}, log.slice(0, 2000)),
            ),
          ),
        ),
      ),
  );
}

/** A whole grade. @param {Grade} grade @param {number} most @param {Overriding | null} [override] */
export function gradeParts(grade, most, override = null) {
  const ranks = Object.entries(grade.ranks);
  return [
    h("p", { class: "total" }, h("strong", {}, number(grade.total)), h("span", { class: "dim" }, ` / ${number(most)}`)),
    ranks.length > 0 &&
      h("p", { class: "dim" }, ranks.map(([name, rank]) => t("grade.rank", { name, n: rank })).join(" · ")),
    findings(grade),
    rules(grade, override),
  ];
}
