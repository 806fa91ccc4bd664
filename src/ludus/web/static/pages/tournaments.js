// The list of tournaments; a new one and the page of each are in ../tournaments.

import { ask, gameName, h, joinFacts, loadAssets, playerName, t, tCount, tOr } from "../page.js";
import { dateTime, emptyState, fetchAccount, isInstructor, progressBar, stateRow } from "../components.js";

/**
 * @typedef {{ id: number, name: string, game: string, title: string, format: string, entries: number, games: number,
 *   left: number | null, state: string, leaders: string[], created: string }} Line
 */

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, [id]) {
  await loadAssets("events");
  main.className = "events";
  if (id === "new") return (await import("../tournaments/form.js")).showForm(main);
  if (id === undefined) return showList(main);
  const view = await ask(`/api/tournaments/${encodeURIComponent(id)}`);
  const { TournamentPage } = await import("../tournaments/tournament.js");
  const page = new TournamentPage(main, view);
  return () => page.leave();
}

/** @param {HTMLElement} main */
async function showList(main) {
  document.title = `${t("tournaments.title")} · Ludus`;
  /** @type {[Line[], { role: string }]} */
  const [lines, { role }] = await Promise.all([ask("/api/tournaments"), fetchAccount()]);
  const going = lines.filter(({ state }) => state === "running" || state === "waiting");
  const others = lines.filter((line) => !going.includes(line));
  main.append(
    h(
      "div.title",
      h("h1", t("tournaments.title")),
      isInstructor(role) && h("a.button", { href: "/tournaments/new" }, t("tournaments.new")),
    ),
    h("p.dim", t("tournaments.lead")),
  );
  if (!lines.length)
    main.append(
      isInstructor(role)
        ? h("div.empty", h("p", t("tournaments.none.teacher")))
        : emptyState("tournaments.none", "/ladder", "tournaments.none.next"),
    );
  for (const [key, some] of /** @type {[string, Line[]][]} */ ([
    ["tournaments.going", going],
    ["tournaments.over", others],
  ])) {
    if (some.length) main.append(h("section", h("h2", t(key)), h("ul.rows", ...some.map(row))));
  }
}

/** @param {Line} line */
function row({ id, name, game, title, format, entries, games, left, state, leaders, created }) {
  const facts = joinFacts(
    gameName(game, title),
    tOr(`format.${format}`, format),
    tCount("tournament.entries", entries),
  );
  const result =
    leaders.length === 1 ? t("tournament.won", { name: playerName(leaders[0]) }) : tCount("tournament.played", games);
  const bar = progressBar(games / (games + (left ?? 0) || 1), t("tournament.progress"));
  const how = [state === "running" ? bar : result, h("small", dateTime(created))];
  return stateRow(`/tournaments/${id}`, name, facts, how, state);
}
