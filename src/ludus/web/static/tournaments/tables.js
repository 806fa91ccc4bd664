// The tables of a tournament: standings, cross table, bracket. Pure: the server's document in, elements out.

import { gap, h, playerName, t, tOr } from "../page.js";
import { button, intervalPlot, scrollRegion, scrollTable } from "../components.js";

/** @typedef {{ elo: number, low: number, high: number }} Rating */
/**
 * @typedef {{ rank: number, entry: string, player: string, points: number, score: number | null, games: number, wins:
 *   number, draws: number, losses: number, failures: number, rating: Rating | null, explanation: string, withdrawn:
 *   boolean, decided_by: string, criteria: Record<string, string>, codes: Record<string, { code: string, number: number
 *   | null }> }} Standing
 */
/** @typedef {{ first: string, second: string, wins: number, draws: number, losses: number }} Met */
/** @typedef {{ entry: string | null, origin: { kind: string, of: string }, score: number | null }} Slot */
/** @typedef {{ key: string, slots: [Slot, Slot], winner: number | null, bye: boolean }} Contest */
/** @typedef {{ stage: string, round: number, contests: Contest[] }} Round */
/**
 * @typedef {{ name: string, game: string, game_title: string, options: Record<string, string | number>, format: string,
 *   format_options: Record<string, string | number>, clock: string, pairs: number, seed: number, finished: boolean,
 *   games: number, draws: number, changes: number, criteria: { name: string, help: string }[], standings: Standing[],
 *   met: Met[], bracket: Round[], open_pairings: { key: string, first: string, second: string, round: number }[],
 *   failures: { entry: string, kind: string, games: number, sentences: string[], messages:
 *   (import("../page.js").Message | null)[] }[], rating: { seat: { value: number,
 *   low: number, high: number }, note: string } | null }} Document
 */

const pointsText = (/** @type {number} */ value) => String(Math.round(value * 100) / 100);
const signed = (/** @type {number} */ value) =>
  `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(Math.round(value))}`;

/** Returns the name of an entry, and its player where that says more. @param {Standing} line */
function entryCell({ entry, player, withdrawn }) {
  const version = /^bot:\d+@(\d+)$/.exec(player);
  const plain = version ? t("tournament.version", { n: version[1] }) : playerName(player);
  return h(
    "div.entry",
    h("strong", entry === player ? plain : entry),
    entry !== player && h("small", plain),
    withdrawn && h("small.gone", t("tournament.withdrawn")),
  );
}

/** Returns the names of the entries. @param {Standing[]} standings @returns {Record<string, string>} */
export function entryNames(standings) {
  return Object.fromEntries(
    standings.map(({ entry, player }) => [entry, entry === player ? playerName(player) : entry]),
  );
}

/** Returns what an entry has by a criterion. @param {Standing} line @param {string} name of the criterion */
function criterionText({ criteria, codes }, name) {
  const found = codes?.[name];
  return found ? t(`reached.${found.code}`, { n: found.number ?? "" }) : (criteria[name] ?? "");
}

/** Explains why an entry is below the one before it. @param {Document} results @param {number} index */
function explainRank(results, index) {
  const names = entryNames(results.standings);
  const [above, line] = [results.standings[index - 1], results.standings[index]];
  const entry = names[line.entry];
  if (!above) return t("tournament.leads", { entry });
  if (line.decided_by === "rating") return t("tournament.by-rating");
  const both = { entry, above: names[above.entry], rank: line.rank };
  if (!line.decided_by) return t("tournament.level", both);
  const by = tOr(`criterion.${line.decided_by}`, line.decided_by);
  return t("tournament.behind", {
    ...both,
    by,
    mine: criterionText(line, line.decided_by),
    theirs: criterionText(above, line.decided_by),
  });
}

/** @param {Standing} line @param {(entry: string) => unknown} withdraw */
function withdrawButton(line, withdraw) {
  const label = t("tournament.withdraw.of", { entry: entryNames([line])[line.entry] });
  return button("tournament.withdraw", () => withdraw(line.entry), "quiet small", label);
}

/** @param {Document} results @param {((entry: string) => unknown) | null} withdraw called when an entry is to leave */
export function standingsTable(results, withdraw) {
  const ends = results.standings.flatMap(({ rating }) => (rating ? [rating.low, rating.high] : []));
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const at = (/** @type {number} */ elo) => (elo - low) / (high - low || 1);
  const first = results.criteria[0]?.name ?? "";
  const own = ["points", "score"].includes(first) ? "" : first;
  const names = ["rank", "entry", "points", "percent", "record", "elo", "interval"];
  const heads = names.map((name) => /** @type {[string, string]} */ ([name, t(`tournament.${name}`)]));
  if (own) heads.splice(2, 0, ["own", tOr(`criterion.${own}`, own)]);
  if (withdraw) heads.push(["act", t("tournament.actions")]);
  const rows = results.standings.map((line, index) => {
    const { rating } = line;
    const words = rating ? t("tournament.range", { low: signed(rating.low), high: signed(rating.high) }) : "";
    return h(
      "tr",
      { class: line.rank === 1 && results.games ? "leader" : "" },
      h("td.rank", String(line.rank)),
      h("th.entry", { scope: "row", title: explainRank(results, index) }, entryCell(line)),
      own && h("td.own", criterionText(line, own)),
      h("td.points", pointsText(line.points)),
      h("td.percent", line.score === null ? "–" : `${Math.round(line.score * 100)} %`),
      h(
        "td.record",
        `${line.wins}–${line.draws}–${line.losses}`,
        line.failures > 0 && h("small.bad", t("tournament.failed", { n: line.failures })),
      ),
      h(
        "td.elo",
        rating ? signed(rating.elo) : "–",
        rating && h("small", `±${Math.round((rating.high - rating.low) / 2)}`),
      ),
      h("td.interval", rating && intervalPlot(at(rating.low), at(rating.elo), at(rating.high), words, at(0))),
      withdraw && h("td.act", !line.withdrawn && !results.finished && withdrawButton(line, withdraw)),
    );
  });
  return scrollTable("standings", t("tournament.standings"), heads, rows);
}

/** Returns the cross table: the points of each entry against each other. @param {Document} results */
export function crossTable(results) {
  const order = results.standings.map(({ entry }) => entry);
  /** @type {Map<string, [number, number]>} */
  const points = new Map();
  const key = (/** @type {string} */ one, /** @type {string} */ other) => JSON.stringify([one, other]);
  for (const { first, second, wins, draws, losses } of results.met) {
    const total = wins + draws + losses;
    points.set(key(first, second), [wins + draws / 2, total]);
    points.set(key(second, first), [losses + draws / 2, total]);
  }
  const shown = entryNames(results.standings);
  const head = h(
    "tr",
    h("th.entry", { scope: "col" }, t("tournament.entry")),
    ...order.map((entry, index) =>
      h(
        "th",
        { scope: "col", title: shown[entry] },
        h("span", { "aria-hidden": "true" }, String(index + 1)),
        h("span.unseen", shown[entry]),
      ),
    ),
  );
  const rows = order.map((one, index) =>
    h(
      "tr",
      h("th.entry", { scope: "row" }, h("span.place", String(index + 1)), h("span.who", shown[one])),
      ...order.map((other) => {
        if (one === other) return h("td.self");
        const found = points.get(key(one, other));
        if (!found) return h("td.none", "·");
        const [won, total] = found;
        return h(
          "td",
          { class: `share${Math.round((4 * won) / total)}`, title: `${shown[one]} – ${shown[other]}` },
          pointsText(won),
          h("small", `/${total}`),
        );
      }),
    ),
  );
  return scrollRegion(t("tournament.cross"), h("table.cross", h("thead", head), h("tbody", ...rows)));
}

/** Returns where an entry that is not known yet comes from. @param {Slot} slot */
function slotText({ origin: { kind, of } }) {
  return ["winner", "loser", "if-needed"].includes(kind) ? t(`bracket.${kind}`, { key: of }) : "–";
}

/** Returns the bracket, round by round, without contests that nobody plays. @param {Document} results */
export function bracket(results) {
  const players = entryNames(results.standings);
  const columns = results.bracket
    .map((round) => ({ ...round, contests: round.contests.filter(({ bye }) => !bye) }))
    .filter(({ contests }) => contests.length);
  const stages = [...new Set(columns.map(({ stage }) => stage))];
  const slot = (/** @type {Slot} */ one, /** @type {boolean} */ won) =>
    h(
      "div",
      { class: `slot ${won ? "won" : ""} ${one.entry ? "" : "open"}` },
      h(
        "span",
        won && h("span.unseen", t("bracket.won")),
        one.entry ? (players[one.entry] ?? one.entry) : slotText(one),
      ),
      h("b", one.score === null ? "" : pointsText(one.score)),
    );
  const column = (/** @type {Round} */ { stage, round, contests }) =>
    h(
      "section.round",
      h("h3", [stage && tOr(`stage.${stage}`, stage), t("tournament.round", { n: round })].filter(Boolean).join(" · ")),
      h(
        "ol",
        ...contests.map((contest) =>
          h(
            "li.contest",
            h("span.key", contest.key),
            ...contest.slots.map((one, index) => slot(one, contest.winner === index)),
          ),
        ),
      ),
    );
  const parts = stages.map((stage) => h("div.stage", ...columns.filter((one) => one.stage === stage).map(column)));
  return scrollRegion(t("tournament.bracket"), ...parts);
}

/** Explains in one sentence how the order is found. @param {Document} results */
export function rankingText(results) {
  const names = results.criteria.map(({ name }) => tOr(`criterion.${name}`, name));
  const seat = results.rating?.seat;
  return [
    t("tournament.ranked", { by: names.join(t("tournament.then")) }),
    seat && t("tournament.seat", { value: signed(seat.value), low: signed(seat.low), high: signed(seat.high) }),
  ]
    .filter(Boolean)
    .join(gap());
}
