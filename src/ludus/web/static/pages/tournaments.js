// The list of tournaments; a new one and the page of each are in ../tournaments.

import { ask, gameName, h, loadAssets, playerName, t, tCount, tOr } from "../page.js";
import { dateTime, fetchAccount, isInstructor, progressBar, stateBadge } from "../components.js";

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
    main.append(h("div.empty", h("p", t(isInstructor(role) ? "tournaments.none.teacher" : "tournaments.none"))));
  for (const [key, some] of /** @type {[string, Line[]][]} */ ([
    ["tournaments.going", going],
    ["tournaments.over", others],
  ])) {
    if (some.length) main.append(h("section", h("h2", t(key)), h("ul.rows", ...some.map(row))));
  }
}

/** @param {Line} line */
export function row(line) {
  const open = line.games + (line.left ?? 0);
  return h(
    "li",
    h(
      "a",
      { href: `/tournaments/${line.id}` },
      h(
        "span.what",
        h("strong", line.name),
        h(
          "small",
          [
            gameName(line.game, line.title),
            tOr(`format.${line.format}`, line.format),
            tCount("tournament.entries", line.entries),
          ].join(" · "),
        ),
      ),
      h(
        "span.how",
        line.state === "running"
          ? progressBar(open ? line.games / open : 0, t("tournament.progress"))
          : line.leaders.length === 1
            ? t("tournament.won", { name: playerName(line.leaders[0]) })
            : tCount("tournament.played", line.games),
        h("small", dateTime(line.created)),
      ),
      stateBadge(line.state),
    ),
  );
}
