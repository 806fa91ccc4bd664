// The page of a tournament, live: standings, bracket, cross table, games, and what an instructor may change.

import {
  ask,
  gameName,
  gap,
  h,
  handler,
  joinFacts,
  optionName,
  optionValue,
  request,
  RequestError,
  say,
  t,
  tCount,
  toast,
  tOr,
} from "../page.js";
import {
  Panel,
  askReason,
  backLink,
  button,
  dateTime,
  duration,
  listen,
  progressBar,
  stateBadge,
} from "../components.js";
import { clockName } from "../setup.js";
import { bracket, crossTable, entryNames, rankingText, standingsTable } from "./tables.js";

/** @import { Document } from "./tables.js" */
/** @import { Message } from "../page.js" */
/** @typedef {{ match: string, pairing: string, first: string, second: string }} Going */
/**
 * @typedef {{ id: number, version: number, state: string, error: string | null, message: Message
 *   | null, progress: { games: number, left:
 *   number, seconds_a_game: number | null, going?: Going[] } | null, document: Document, may: boolean }} View
 */
/**
 * @typedef {{ id: number, match: string, pairing: string, first: string, second: string, winner: number | null, reason:
 *   string, fault: string, fault_message: Message | null, margin: number, moves: number }} Game
 */

const MOST_CROSSED = 40;
const FILES = ["standings.csv", "games.csv", "results.json", "page.html", "report.pdf", "everything.zip"];
const MOST_LISTED = 3000;

/** Returns the kind of a failure in words. @param {string} kind */
const faultName = (kind) => tOr(`failure.${kind}`, tOr(`faults.kind.${kind}`, kind));

/** Returns a part below its heading, or nothing. @param {string} key @param {HTMLElement | false} part */
const titled = (key, part) => (part ? [h("h2", t(`tournament.${key}`)), part] : []);

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
    const { document: results, may, state, error, progress } = this.view;
    const { standings, criteria, rating, met, failures } = results;
    document.title = `${results.name} · Ludus`;
    const { head, going, standings: table, bracket: tree, cross, failures: faults } = this.parts;
    head.show([state, error, progress?.left, progress?.seconds_a_game, results.games, standings.length], () =>
      this.head(),
    );
    const running = progress?.going ?? [];
    going.show(running, () => titled("going", running.length > 0 && this.runningGames(running)));
    table.show([standings, criteria, rating, may, state], () => [
      ...titled("standings", standingsTable(results, may ? (entry) => this.withdraw(entry) : null)),
      h("p.dim", rankingText(results)),
    ]);
    tree.show(results.bracket, () => titled("bracket", results.bracket.length > 0 && bracket(results)));
    const crossed = met.length > 0 && standings.length <= MOST_CROSSED;
    cross.show([met, standings.map(({ entry }) => entry)], () => [
      ...titled("cross", crossed && crossTable(results)),
      crossed && h("p.dim", t("tournament.cross.how")),
    ]);
    faults.show(failures, () => titled("failures", failures.length > 0 && this.failureList()));
    if (this.gamesVersion() === this.gamesKnown) return;
    this.fetchGames();
    if (may) this.fetchLog();
  }

  head() {
    const { document: results, state, error, message, progress, may, id } = this.view;
    const options = Object.entries(results.options).map(
      ([name, value]) => `${optionName(results.game, name)} ${optionValue(results.game, value)}`,
    );
    const facts = joinFacts(
      gameName(results.game, results.game_title),
      tOr(`format.${results.format}`, results.format),
      tCount("tournament.entries", results.standings.length),
      clockName(results.clock),
      tCount("tournament.pairs", results.pairs),
    );
    const running = state === "running";
    const left = progress?.left ?? 0;
    const seconds = (progress?.seconds_a_game ?? 0) * left;
    const done = running
      ? t("tournament.done", { n: results.games, left })
      : tCount("tournament.played", results.games);
    const path = `/api/tournaments/${id}`;
    return [
      backLink("/tournaments", t("tournaments.title")),
      h("div.title", h("h1", results.name), stateBadge(state)),
      h("p.dim", { title: options.join(", ") }, facts),
      state === "finished" && h("p.verdict", this.verdict()),
      state === "failed" && h("p.fault", say(message, error)),
      running && progressBar(results.games / (results.games + left || 1), t("tournament.progress")),
      h("p.dim", joinFacts(done, running && seconds > 0 && t("tournament.eta", { span: duration(seconds) }))),
      may &&
        h(
          "div.row.acts",
          (running || state === "waiting") && button("tournament.stop", () => ask(`${path}/stop`, {})),
          (state === "stopped" || state === "failed") && button("tournament.resume", () => ask(`${path}/resume`, {})),
        ),
    ];
  }

  /** Returns who won, in words. */
  verdict() {
    const names = this.names();
    const leaders = this.view.document.standings.filter(({ rank }) => rank === 1).map(({ entry }) => names[entry]);
    if (leaders.length > 3) return tCount("tournament.shared", leaders.length);
    if (leaders.length > 1) return t("tournament.share", { names: leaders.join(t("tournament.and")) });
    return t("tournament.won", { name: leaders[0] });
  }

  /**
   * Asks for a reason and changes something on the server.
   * @param {"withdraw" | "back"} key of the words @param {Record<string, string>} what they are about
   * @param {string} path @param {Record<string, string>} data
   */
  async change(key, what, path, data) {
    const words = (/** @type {string} */ part) => t(`tournament.${key}${part}`, what);
    const reason = await askReason(words(".of"), words(".how"), words(""));
    if (!reason) return;
    await handler(async () => {
      await ask(`/api/tournaments/${this.view.id}/${path}`, { ...data, reason });
      toast(words(".done"));
    })();
  }

  /** @param {string} entry */
  withdraw(entry) {
    return this.change("withdraw", { entry: this.names()[entry] ?? entry }, "withdraw", { entry });
  }

  /** @param {Game} game */
  takeBack(game) {
    return this.change("back", { game: this.versus(game) }, "take-back", { what: String(game.id) });
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

  /** Returns the running games as links to watch them. @param {Going[]} running */
  runningGames(running) {
    const row = (/** @type {Going} */ game) =>
      h(
        "a",
        { href: `/match/${game.match}`, "aria-label": t("tournament.watch", { game: this.versus(game) }) },
        h("span.what", h("strong", this.versus(game))),
        h("span.how.dim", game.pairing),
        h("span.pill.running", t("tournament.look")),
      );
    return h("ul.rows", ...running.map((game) => h("li", row(game))));
  }

  failureList() {
    const names = this.names();
    const rows = this.view.document.failures.map(({ entry, kind, games, sentences, messages }) => {
      const texts = sentences.map((sentence, at) => say(messages[at], sentence)).join(gap());
      return h("li", h("strong", names[entry] ?? entry), ` ${faultName(kind)} × ${games}`, h("small", texts));
    });
    return h("ul.lines", ...rows);
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
        button(
          "tournament.back",
          () => this.takeBack(game),
          "quiet small",
          t("tournament.back.of", { game: this.versus(game, names) }),
        ),
    );
  }

  downloads() {
    const path = `/api/tournaments/${this.view.id}/files`;
    const link = (/** @type {string} */ name) => {
      const href = `${path}/${name}?language=${document.documentElement.lang}`;
      const click = (/** @type {Event} */ event) => (event.preventDefault(), this.fetchFile(file));
      const file = h("a.quiet", { href, click }, t(`file.${name}`));
      return h("li", file);
    };
    return h("section.downloads", h("h2", t("tournament.downloads")), h("ul", ...FILES.map(link)));
  }

  /** Downloads a file that the server makes on request, or shows why not. @param {HTMLAnchorElement} link */
  async fetchFile(link) {
    if (link.getAttribute("aria-busy")) return;
    link.setAttribute("aria-busy", "true");
    await handler(async () => {
      const answer = await request(link.href);
      const name = /filename="?([^";]+)"?/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? "file";
      const made = URL.createObjectURL(await answer.blob());
      h("a", { href: made, download: decodeURIComponent(name) }).click();
      setTimeout(() => URL.revokeObjectURL(made), 60_000);
    })();
    link.removeAttribute("aria-busy");
  }

  async fetchLog() {
    /** @type {{ at: string, kind: string, reason: string, what: string }[]} */
    const log = await ask(`/api/tournaments/${this.view.id}/log`).catch(() => []);
    const rows = log.map(({ at, kind, reason, what }) =>
      h("li", h("strong", tOr(`change.${kind}`, kind)), ` ${what}`, h("small", joinFacts(reason, dateTime(at)))),
    );
    this.parts.log.show(log, () => titled("log", rows.length > 0 && h("ul.lines", ...rows)));
  }
}
