// The page of a tournament, live: standings, bracket, cross table, games, and what an instructor may change.

import {
  ask,
  gameName,
  h,
  handler,
  optionName,
  optionValue,
  RequestError,
  say,
  t,
  tCount,
  toast,
  tOr,
} from "../page.js";
import { Panel, actionButton, askReason, dateTime, duration, listen, progressBar, stateBadge } from "../components.js";
import { clockName } from "../pages/play.js";
import { bracket, crossTable, entryNames, rankingText, standingsTable } from "./tables.js";

/** @typedef {import("./tables.js").Document} Document */
/** @typedef {{ match: string, pairing: string, first: string, second: string }} Going */
/**
 * @typedef {{ id: number, version: number, state: string, error: string | null, message: import("../page.js").Message
 *   | null, progress: { games: number, left:
 *   number, seconds_a_game: number | null, going?: Going[] } | null, document: Document, may: boolean }} View
 */
/**
 * @typedef {{ id: number, match: string, pairing: string, first: string, second: string, winner: number | null, reason:
 *   string, fault: string, fault_message: import("../page.js").Message | null, margin: number, moves: number }} Game
 */

const MOST_CROSSED = 40;
const FILES = ["standings.csv", "games.csv", "results.json", "page.html", "report.pdf", "everything.zip"];
const MOST_LISTED = 3000;

/** Returns the kind of a failure in words. @param {string} kind */
const faultName = (kind) => tOr(`failure.${kind}`, tOr(`faults.kind.${kind}`, kind));

export class TournamentPage {
  /** @param {HTMLElement} main @param {View} view */
  constructor(main, view) {
    this.view = view;
    this.parts = {
      head: new Panel("header.head"),
      going: new Panel("section.going-on"),
      standings: new Panel("section"),
      bracket: new Panel("section"),
      cross: new Panel("section"),
      failures: new Panel("section"),
      log: new Panel("section"),
    };
    /** @type {Game[]} */
    this.games = [];
    this.gamesKnown = "";
    this.fetching = false;
    this.list = h("div.games");
    this.openRounds = new Set();
    main.append(
      this.parts.head.element,
      this.parts.going.element,
      this.parts.standings.element,
      this.parts.bracket.element,
      this.parts.cross.element,
      this.parts.failures.element,
      h("section.gameslist", h("h2", t("tournament.games")), this.list),
      this.downloads(),
      this.parts.log.element,
    );
    this.draw();
    this.source = listen(`/api/tournaments/${view.id}/events?seen=${view.version}`, (data) => {
      this.view = data;
      this.draw();
    });
  }

  leave() {
    this.source.close();
  }

  draw() {
    const { document: results, may, state } = this.view;
    document.title = `${results.name} · Ludus`;
    this.parts.head.show(
      [
        this.view.state,
        this.view.error,
        this.view.progress?.left,
        this.view.progress?.seconds_a_game,
        results.games,
        results.standings.length,
      ],
      () => this.head(),
    );
    const going = this.view.progress?.going ?? [];
    this.parts.going.show(going, () =>
      going.length === 0
        ? []
        : [h("h2", t("tournament.going")), h("ul.rows", ...going.map((game) => this.runningGame(game)))],
    );
    this.parts.standings.show([results.standings, results.criteria, results.rating, may, state], () => [
      h("h2", t("tournament.standings")),
      standingsTable(results, may ? (entry) => this.withdraw(entry) : null),
      h("p.dim", rankingText(results)),
    ]);
    this.parts.bracket.show(results.bracket, () => [
      results.bracket.length > 0 && h("h2", t("tournament.bracket")),
      results.bracket.length > 0 && bracket(results),
    ]);
    this.parts.cross.show([results.met, results.standings.map(({ entry }) => entry)], () => {
      if (!results.met.length || results.standings.length > MOST_CROSSED) return [];
      return [h("h2", t("tournament.cross")), crossTable(results), h("p.dim", t("tournament.cross.how"))];
    });
    this.parts.failures.show(results.failures, () =>
      results.failures.length === 0
        ? []
        : [
            h("h2", t("tournament.failures")),
            h(
              "ul.lines",
              ...results.failures.map(({ entry, kind, games, sentences, messages }) =>
                h(
                  "li",
                  h("strong", this.names()[entry] ?? entry),
                  " ",
                  faultName(kind),
                  ` × ${games}`,
                  h("small", sentences.map((sentence, at) => say(messages[at], sentence)).join(" ")),
                ),
              ),
            ),
          ],
    );
    if (this.gamesVersion() === this.gamesKnown) return;
    this.fetchGames();
    if (may) this.fetchLog();
  }

  head() {
    const { document: results, state, error, message, progress, may, id } = this.view;
    const options = Object.entries(results.options).map(
      ([name, value]) => `${optionName(results.game, name)} ${optionValue(results.game, value)}`,
    );
    const facts = [
      gameName(results.game, results.game_title),
      tOr(`format.${results.format}`, results.format),
      tCount("tournament.entries", results.standings.length),
      clockName(results.clock),
      tCount("tournament.pairs", results.pairs),
    ];
    const names = this.names();
    const leaders = results.standings.filter(({ rank }) => rank === 1).map(({ entry }) => names[entry]);
    const open = results.games + (progress?.left ?? 0);
    const eta =
      progress?.seconds_a_game && progress.left
        ? t("tournament.eta", { span: duration(progress.seconds_a_game * progress.left) })
        : "";
    return [
      h("p.crumbs", h("a", { href: "/tournaments" }, t("tournaments.title"))),
      h("div.title", h("h1", results.name), stateBadge(state)),
      h("p.dim", { title: options.join(", ") }, facts.join(" · ")),
      state === "finished" &&
        h(
          "p.verdict",
          leaders.length > 3
            ? tCount("tournament.shared", leaders.length)
            : leaders.length > 1
              ? t("tournament.share", { names: leaders.join(t("tournament.and")) })
              : t("tournament.won", { name: leaders[0] }),
        ),
      state === "failed" && h("p.fault", say(message, error)),
      state === "running" && progressBar(open ? results.games / open : 0, t("tournament.progress")),
      h(
        "p.dim",
        state === "running"
          ? [t("tournament.done", { games: results.games, left: progress?.left ?? 0 }), eta].filter(Boolean).join(" · ")
          : tCount("tournament.played", results.games),
      ),
      may &&
        h(
          "div.row.acts",
          (state === "running" || state === "waiting") &&
            actionButton("tournament.stop", () => ask(`/api/tournaments/${id}/stop`, {})),
          (state === "stopped" || state === "failed") &&
            actionButton("tournament.resume", () => ask(`/api/tournaments/${id}/resume`, {})),
        ),
    ];
  }

  /** @param {string} entry */
  async withdraw(entry) {
    const name = this.names()[entry] ?? entry;
    const reason = await askReason(
      t("tournament.withdraw.of", { entry: name }),
      t("tournament.withdraw.how"),
      t("tournament.withdraw"),
    );
    if (reason)
      await handler(async () => {
        await ask(`/api/tournaments/${this.view.id}/withdraw`, { entry, reason });
        toast(t("tournament.withdraw.done", { entry: name }));
      })();
  }

  /** @param {Game} game */
  async takeBack(game) {
    const words = this.versus(game);
    const reason = await askReason(
      t("tournament.back.of", { game: words }),
      t("tournament.back.how"),
      t("tournament.back"),
    );
    if (reason)
      await handler(async () => {
        await ask(`/api/tournaments/${this.view.id}/take-back`, { what: String(game.id), reason });
        toast(t("tournament.back.done"));
      })();
  }

  /** Returns a text that changes whenever the games change. */
  gamesVersion() {
    const { games, changes } = this.view.document;
    return `${games} ${changes}`;
  }

  /** Fetches the new games, or all of them when some were taken back. */
  async fetchGames() {
    if (this.fetching) return;
    this.fetching = true;
    try {
      const mark = this.gamesVersion();
      if (this.view.document.games <= this.games.length) this.games = [];
      for (;;) {
        /** @type {Game[]} */
        const more = await ask(`/api/tournaments/${this.view.id}/games?after=${this.games.at(-1)?.id ?? 0}`);
        this.games.push(...more);
        if (more.length < 2000 || this.games.length > MOST_LISTED) break;
      }
      this.gamesKnown = mark;
      this.drawGames();
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
    } finally {
      this.fetching = false;
    }
  }

  drawGames() {
    if (!this.games.length) {
      this.list.replaceChildren(h("p.dim", t("tournament.games.none")));
      return;
    }
    /** @type {Map<string, Game[]>} */
    const pairings = new Map();
    for (const game of this.games.slice(-MOST_LISTED))
      pairings.set(game.pairing, [...(pairings.get(game.pairing) ?? []), game]);
    const names = this.names();
    this.list.replaceChildren(...[...pairings].reverse().map(([key, games]) => this.pairing(key, games, names)));
  }

  /** Returns the names of the entries. @returns {Record<string, string>} */
  names() {
    return entryNames(this.view.document.standings);
  }

  /**
   * Returns both names of a game.
   * @param {{ first: string, second: string }} game @param {Record<string, string>} [names]
   */
  versus({ first, second }, names = this.names()) {
    return `${names[first] ?? first} – ${names[second] ?? second}`;
  }

  /** Returns a running game as a link to watch it. @param {Going} game */
  runningGame({ match, pairing, first, second }) {
    const both = this.versus({ first, second });
    return h(
      "li",
      h(
        "a",
        { href: `/match/${match}`, "aria-label": t("tournament.watch", { game: both }) },
        h("span.what", h("strong", both)),
        h("span.how.dim", pairing),
        h("span.pill.running", t("tournament.look")),
      ),
    );
  }

  /** @param {string} key @param {Game[]} games @param {Record<string, string>} names */
  pairing(key, games, names) {
    const [one, other] = [games[0].first, games[0].second].sort();
    const won = games.reduce(
      (sum, { first, winner }) => sum + (winner === null ? 0.5 : (winner === 0) === (first === one) ? 1 : 0),
      0,
    );
    const box = h(
      "details.pairing",
      {
        open: this.openRounds.has(key),
        toggle: () =>
          /** @type {HTMLDetailsElement} */ (box).open ? this.openRounds.add(key) : this.openRounds.delete(key),
      },
      h(
        "summary",
        h("span.key", key),
        h("span.who", `${names[one] ?? one} – ${names[other] ?? other}`),
        h("b", `${won} – ${games.length - won}`),
      ),
      h("ul", ...games.map((game) => this.game(game, names))),
    );
    return box;
  }

  /** @param {Game} game @param {Record<string, string>} names */
  game(game, names) {
    const winner =
      game.winner === null
        ? t("tournament.draw")
        : t("tournament.wins", { name: names[[game.first, game.second][game.winner]] ?? "" });
    const failed = !["rules", "adjudicated"].includes(game.reason);
    return h(
      "li",
      h("a", { href: `/match/${game.match}` }, this.versus(game, names)),
      h(
        "span",
        winner,
        failed && h("small.bad", { title: say(game.fault_message, game.fault) }, faultName(game.reason)),
      ),
      h("span.dim", tCount("moves", game.moves)),
      this.view.may &&
        h(
          "button.quiet.small",
          {
            "aria-label": t("tournament.back.of", { game: this.versus(game, names) }),
            click: () => this.takeBack(game),
          },
          t("tournament.back"),
        ),
    );
  }

  downloads() {
    const lang = document.documentElement.lang;
    return h(
      "section.downloads",
      h("h2", t("tournament.downloads")),
      h(
        "ul",
        ...FILES.map((name) =>
          h(
            "li",
            h(
              "a.quiet",
              {
                href: `/api/tournaments/${this.view.id}/files/${name}?language=${lang}`,
                click: (/** @type {Event} */ event) => this.fetchFile(event),
              },
              t(`file.${name}`),
            ),
          ),
        ),
      ),
    );
  }

  /** Downloads a file that the server makes on request, and shows the reason if it fails. @param {Event} event */
  async fetchFile(event) {
    event.preventDefault();
    const link = /** @type {HTMLAnchorElement} */ (event.currentTarget);
    if (link.getAttribute("aria-busy")) return;
    link.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(link.href);
      if (!answer.ok) throw new RequestError((await answer.json()).detail);
      const name = /filename="?([^";]+)"?/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? "file";
      const made = URL.createObjectURL(await answer.blob());
      h("a", { href: made, download: decodeURIComponent(name) }).click();
      setTimeout(() => URL.revokeObjectURL(made), 60_000);
    } catch (error) {
      toast(error instanceof RequestError ? error.message : t("offline"));
    } finally {
      link.removeAttribute("aria-busy");
    }
  }

  async fetchLog() {
    /** @type {{ at: string, kind: string, reason: string, what: string }[]} */
    const log = await ask(`/api/tournaments/${this.view.id}/log`).catch(() => []);
    this.parts.log.show(log, () =>
      log.length === 0
        ? []
        : [
            h("h2", t("tournament.log")),
            h(
              "ul.lines",
              ...log.map(({ at, kind, reason, what }) =>
                h("li", h("strong", tOr(`change.${kind}`, kind)), " ", what, h("small", `${reason} · ${dateTime(at)}`)),
              ),
            ),
          ],
    );
  }
}
