// A tournament as it goes on: standings, bracket, cross table, games; and what an instructor may do to it.

import { Refusal, ask, counted, gameName, h, playerName, t, tOr, toast, trying } from "../page.js";
import { Part, bar, listen, pill, reasonFor, span, told, when } from "../events.js";
import { translated } from "../said.js";
import { clockName } from "../pages/play.js";
import { bracket, crossTable, entryNames, ranking, standings } from "./tables.js";

/** @typedef {import("./tables.js").Document} Document */
/** @typedef {{ match: string, pairing: string, first: string, second: string }} Going */
/**
 * @typedef {{ id: number, version: number, state: string, error: string | null, progress: { games: number, left:
 *   number, seconds_a_game: number | null, going?: Going[] } | null, document: Document, may: boolean }} View
 */
/**
 * @typedef {{ id: number, match: string, pairing: string, first: string, second: string, winner: number | null, reason:
 *   string, fault: string, margin: number, moves: number }} Game
 */

const MOST_CROSSED = 40;
const FILES = ["standings.csv", "games.csv", "results.json", "page.html", "report.pdf", "everything.zip"];
const MOST_LISTED = 3000;

export class TournamentPage {
  /** @param {HTMLElement} main @param {View} view */
  constructor(main, view) {
    this.view = view;
    this.parts = {
      head: new Part("header", { class: "head" }),
      going: new Part("section", { class: "going-on" }),
      standings: new Part("section"),
      bracket: new Part("section"),
      cross: new Part("section"),
      failures: new Part("section"),
      log: new Part("section"),
    };
    /** @type {Game[]} */
    this.games = [];
    this.gamesKnown = "";
    this.fetching = false;
    this.list = h("div", { class: "games" });
    this.openRounds = new Set();
    main.append(
      this.parts.head.element,
      this.parts.going.element,
      this.parts.standings.element,
      this.parts.bracket.element,
      this.parts.cross.element,
      this.parts.failures.element,
      h("section", { class: "gameslist" }, h("h2", {}, t("tournament.games")), this.list),
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
    const { document: said, may, state } = this.view;
    document.title = `${said.name} · Ludus`;
    this.parts.head.show(
      [
        this.view.state,
        this.view.error,
        this.view.progress?.left,
        this.view.progress?.seconds_a_game,
        said.games,
        said.standings.length,
      ],
      () => this.head(),
    );
    const going = this.view.progress?.going ?? [];
    this.parts.going.show(going, () =>
      going.length === 0
        ? []
        : [h("h2", {}, t("tournament.going")), h("ul", { class: "rows" }, ...going.map((game) => this.going(game)))],
    );
    this.parts.standings.show([said.standings, said.criteria, said.rating, may, state], () => [
      h("h2", {}, t("tournament.standings")),
      standings(said, may ? (entry) => this.withdraw(entry) : null),
      h("p", { class: "dim" }, ranking(said)),
    ]);
    this.parts.bracket.show(said.bracket, () => [
      said.bracket.length > 0 && h("h2", {}, t("tournament.bracket")),
      said.bracket.length > 0 && bracket(said),
    ]);
    this.parts.cross.show([said.met, said.standings.map(({ entry }) => entry)], () => {
      if (!said.met.length || said.standings.length > MOST_CROSSED) return [];
      return [
        h("h2", {}, t("tournament.cross")),
        crossTable(said),
        h("p", { class: "dim" }, t("tournament.cross.how")),
      ];
    });
    this.parts.failures.show(said.failures, () =>
      said.failures.length === 0
        ? []
        : [
            h("h2", {}, t("tournament.failures")),
            h(
              "ul",
              { class: "lines" },
              ...said.failures.map(({ entry, kind, games, sentences }) =>
                h(
                  "li",
                  {},
                  h("strong", {}, this.names()[entry] ?? entry),
                  " ",
                  tOr(`failure.${kind}`, translated(kind)),
                  ` × ${games}`,
                  h("small", {}, sentences.map(translated).join(" ")),
                ),
              ),
            ),
          ],
    );
    if (this.mark() === this.gamesKnown) return;
    this.fetchGames();
    if (may) this.fetchLog();
  }

  head() {
    const { document: said, state, error, progress, may, id } = this.view;
    const options = Object.entries(said.options).map(
      ([name, value]) => `${tOr(`option.${name}`, name)} ${tOr(`choice.${value}`, String(value))}`,
    );
    const facts = [
      gameName(said.game, said.game_title),
      tOr(`format.${said.format}`, said.format),
      counted("tournament.entries", said.standings.length),
      clockName(said.clock),
      counted("tournament.pairs", said.pairs),
    ];
    const names = this.names();
    const leaders = said.standings.filter(({ rank }) => rank === 1).map(({ entry }) => names[entry]);
    const open = said.games + (progress?.left ?? 0);
    const eta =
      progress?.seconds_a_game && progress.left
        ? t("tournament.eta", { span: span(progress.seconds_a_game * progress.left) })
        : "";
    return [
      h("p", { class: "crumbs" }, h("a", { href: "/tournaments" }, t("tournaments.title"))),
      h("div", { class: "title" }, h("h1", {}, said.name), pill(state)),
      h("p", { class: "dim", title: options.join(", ") }, facts.join(" · ")),
      state === "finished" &&
        h(
          "p",
          { class: "verdict" },
          leaders.length > 3
            ? counted("tournament.shared", leaders.length)
            : leaders.length > 1
              ? t("tournament.share", { names: leaders.join(t("tournament.and")) })
              : t("tournament.won", { name: leaders[0] }),
        ),
      state === "failed" && h("p", { class: "fault" }, translated(error)),
      state === "running" && bar(open ? said.games / open : 0, t("tournament.progress")),
      h(
        "p",
        { class: "dim" },
        state === "running"
          ? [t("tournament.done", { games: said.games, left: progress?.left ?? 0 }), eta].filter(Boolean).join(" · ")
          : counted("tournament.played", said.games),
      ),
      may &&
        h(
          "div",
          { class: "row acts" },
          (state === "running" || state === "waiting") &&
            this.act("tournament.stop", async () => void (await ask(`/api/tournaments/${id}/stop`, {}))),
          (state === "stopped" || state === "failed") &&
            this.act("tournament.resume", async () => void (await ask(`/api/tournaments/${id}/resume`, {}))),
        ),
    ];
  }

  /** @param {string} name @param {() => Promise<void>} work */
  act(name, work) {
    return h("button", { type: "button", class: "quiet", click: trying(work) }, t(name));
  }

  /** @param {string} entry */
  async withdraw(entry) {
    const name = this.names()[entry] ?? entry;
    const reason = await reasonFor(
      t("tournament.withdraw.of", { entry: name }),
      t("tournament.withdraw.how"),
      t("tournament.withdraw"),
    );
    if (reason)
      await trying(async () => {
        await ask(`/api/tournaments/${this.view.id}/withdraw`, { entry, reason });
        told(t("tournament.withdraw.done", { entry: name }));
      })();
  }

  /** @param {Game} game */
  async takeBack(game) {
    const words = this.versus(game);
    const reason = await reasonFor(
      t("tournament.back.of", { game: words }),
      t("tournament.back.how"),
      t("tournament.back"),
    );
    if (reason)
      await trying(async () => {
        await ask(`/api/tournaments/${this.view.id}/take-back`, { what: String(game.id), reason });
        told(t("tournament.back.done"));
      })();
  }

  /** Another text whenever other games are there. */
  mark() {
    const { games, changes } = this.view.document;
    return `${games} ${changes}`;
  }

  /** Fetches the games that are new; when some were taken back, all of them anew. */
  async fetchGames() {
    if (this.fetching) return;
    this.fetching = true;
    try {
      const mark = this.mark();
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
      if (!(error instanceof Refusal)) throw error;
    } finally {
      this.fetching = false;
    }
  }

  drawGames() {
    if (!this.games.length) {
      this.list.replaceChildren(h("p", { class: "dim" }, t("tournament.games.none")));
      return;
    }
    /** @type {Map<string, Game[]>} */
    const pairings = new Map();
    for (const game of this.games.slice(-MOST_LISTED))
      pairings.set(game.pairing, [...(pairings.get(game.pairing) ?? []), game]);
    const names = this.names();
    this.list.replaceChildren(...[...pairings].reverse().map(([key, games]) => this.pairing(key, games, names)));
  }

  /** What entries are called. @returns {Record<string, string>} */
  names() {
    return entryNames(this.view.document.standings);
  }

  /** Who meets whom. @param {{ first: string, second: string }} game @param {Record<string, string>} [names] */
  versus({ first, second }, names = this.names()) {
    return `${names[first] ?? first} – ${names[second] ?? second}`;
  }

  /** A game under way, to be watched. @param {Going} game */
  going({ match, pairing, first, second }) {
    const both = this.versus({ first, second });
    return h(
      "li",
      {},
      h(
        "a",
        { href: `/match/${match}`, "aria-label": t("tournament.watch", { game: both }) },
        h("span", { class: "what" }, h("strong", {}, both)),
        h("span", { class: "how dim" }, pairing),
        h("span", { class: "pill running" }, t("tournament.look")),
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
      "details",
      {
        class: "pairing",
        open: this.openRounds.has(key),
        toggle: () =>
          /** @type {HTMLDetailsElement} */ (box).open ? this.openRounds.add(key) : this.openRounds.delete(key),
      },
      h(
        "summary",
        {},
        h("span", { class: "key" }, key),
        h("span", { class: "who" }, `${names[one] ?? one} – ${names[other] ?? other}`),
        h("b", {}, `${won} – ${games.length - won}`),
      ),
      h("ul", {}, ...games.map((game) => this.game(game, names))),
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
      {},
      h("a", { href: `/match/${game.match}` }, this.versus(game, names)),
      h(
        "span",
        {},
        winner,
        failed &&
          h(
            "small",
            { class: "bad", title: translated(game.fault) },
            tOr(`failure.${game.reason}`, translated(game.reason)),
          ),
      ),
      h("span", { class: "dim" }, counted("moves", game.moves)),
      this.view.may &&
        h(
          "button",
          {
            type: "button",
            class: "quiet small",
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
      "section",
      { class: "downloads" },
      h("h2", {}, t("tournament.downloads")),
      h(
        "ul",
        {},
        ...FILES.map((name) =>
          h(
            "li",
            {},
            h(
              "a",
              {
                class: "quiet",
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

  /** Fetches a file that has to be put together first, and says why when there is none. @param {Event} event */
  async fetchFile(event) {
    event.preventDefault();
    const link = /** @type {HTMLAnchorElement} */ (event.currentTarget);
    if (link.getAttribute("aria-busy")) return;
    link.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(link.href);
      if (!answer.ok) throw new Refusal((await answer.json()).detail);
      const name = /filename="?([^";]+)"?/.exec(answer.headers.get("Content-Disposition") ?? "")?.[1] ?? "file";
      const made = URL.createObjectURL(await answer.blob());
      h("a", { href: made, download: decodeURIComponent(name) }).click();
      setTimeout(() => URL.revokeObjectURL(made), 60_000);
    } catch (error) {
      toast(error instanceof Refusal ? error.message : t("offline"));
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
            h("h2", {}, t("tournament.log")),
            h(
              "ul",
              { class: "lines" },
              ...log.map(({ at, kind, reason, what }) =>
                h(
                  "li",
                  {},
                  h("strong", {}, tOr(`change.${kind}`, kind)),
                  " ",
                  what,
                  h("small", {}, `${reason} · ${when(at)}`),
                ),
              ),
            ),
          ],
    );
  }
}
