// A challenge: the running game, the score, every game with its link, and the changes on the ladder.

import { Board } from "../board.js";
import { loadLook } from "../look.js";
import { ask, gameName, gap, h, joinFacts, loadAssets, personName, say, t, tCount, tOr } from "../page.js";
import { card, download, listen, scrollTable } from "../components.js";
import { scoreText, shortDateTime, spreadOf } from "../bots/challenges.js";

/** @import { ChallengeLine, Player, Rating } from "../bots/challenges.js" */
/** @import { Message } from "../page.js" */
/**
 * @typedef {{ board: number, seats: number, match: string, points: number, margin: number, reason: string, fault:
 *   string, fault_message: Message | null, moves: number, used: [number, number] }} Game
 */
/**
 * @typedef {ChallengeLine & { pairs: number, clock: string,
 *   versions: [number, number | null], games: Game[], playing: string | null, moves: number, error: string | null,
 *   message?: Message, ratings: Record<string, Rating>, logs: string[] }} Challenge
 */

/** Returns the state or the result in words. @param {Challenge} one @param {[string, string]} names */
function resultText(one, [challenger, defender]) {
  if (one.state === "failed") return say(one.message, one.error) || t("challenge.failed");
  const played = one.games.length;
  if (one.state === "open")
    return played || one.playing
      ? t("challenge.going", { n: Math.min(played + 1, 2 * one.pairs), of: 2 * one.pairs })
      : t("challenge.waiting");
  const [mine, theirs] = one.score ?? [0, 0];
  const margin = one.games.reduce((sum, game) => sum + game.margin, 0);
  const ahead = mine - theirs || margin;
  const text =
    ahead > 0
      ? t("challenge.won", { name: challenger })
      : ahead < 0
        ? t("challenge.lost", { name: defender })
        : t("challenge.tied");
  return mine === theirs && margin ? `${text}${gap()}${t("challenge.margin", { n: Math.abs(margin) })}` : text;
}

/** Returns the changes on the ladder in words. @param {Challenge} one @param {[string, string]} names */
function ladderChanges(one, [challenger, defender]) {
  if (!one.rated) return [t("challenge.unrated")];
  if (one.state !== "done") return [t("challenge.rated")];
  return /** @type {[string, string][]} */ ([
    [one.challenger.player, challenger],
    [one.defender.player, defender],
  ]).map(([player, name]) => {
    const [before, after] = one.ranks?.[player] ?? [null, null];
    const rating = one.ratings[player];
    const moved =
      before === after
        ? t("challenge.stays", { name, n: before ?? "–" })
        : t("challenge.moves", { name, from: before ?? "–", to: after ?? "–" });
    if (!rating || rating.high <= rating.low) return moved;
    return `${moved}${gap()}${t("challenge.elo", { elo: Math.round(rating.elo), spread: spreadOf(rating) })}`;
  });
}

/** The board of the running game, live. */
class LiveBoard {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.match = "";
    this.words = h("p.dim");
    this.link = h("a.window", { "aria-label": t("challenge.open") });
    /** @type {EventSource | undefined} */
    this.source;
  }

  /** @param {string} match @param {string} words */
  async show(match, words) {
    this.words.textContent = words;
    if (this.match === match) return;
    this.match = match;
    this.source?.close();
    const view = await ask(`/api/matches/${match}`);
    const board = new Board(view.frame, await loadLook(view.frame.game), { labels: false });
    if (this.match !== match) return;
    const draw = (/** @type {any} */ { position, plies = [] }) => {
      board.set(position.board);
      if (plies.length) board.markLast(plies.at(-1));
    };
    draw(view);
    this.link.setAttribute("href", `/match/${match}`);
    this.link.replaceChildren(board.element);
    if (!this.place.contains(this.link)) this.place.replaceChildren(this.link, this.words);
    if (view.position.outcome) return;
    this.source = listen(`/api/matches/${match}/events?seen=${view.version}`, draw);
  }

  close() {
    this.source?.close();
  }
}

/** A row of the table of games: its elements stay while it is played, so that no click is lost. */
class GameRow {
  /**
   * @param {number} board @param {number} seats @param {string} first @param {boolean} logs whether there is a column
   * of logs
   */
  constructor(board, seats, first, logs) {
    this.board = board;
    this.seats = seats;
    this.link = h("a");
    this.result = h("td", "–");
    this.how = h("td.dim");
    this.logs = h("td");
    this.shown = "";
    this.element = h("tr", h("td", String(board + 1)), h("td", first), this.result, this.how, logs && this.logs);
  }

  /** @param {Challenge} one */
  show(one) {
    const game = one.games.find((played) => played.board === this.board && played.seats === this.seats);
    const number = 2 * this.board + this.seats;
    const match = game?.match ?? (one.state === "open" && number === one.games.length ? one.playing : null);
    if (this.shown === JSON.stringify([match, game])) return;
    this.shown = JSON.stringify([match, game]);
    const result = game ? (game.points === 1 ? "won" : game.points === 0 ? "lost" : "drawn") : "";
    this.element.className = result;
    if (!match) return this.result.replaceChildren("–");
    this.link.className = game ? "" : "watch";
    this.link.textContent = t(game ? `challenge.${result}.short` : "challenge.watch");
    this.link.setAttribute("href", `/match/${match}`);
    if (!this.result.contains(this.link)) this.result.replaceChildren(this.link);
    if (!game) return;
    const text = joinFacts(
      tCount("moves", game.moves),
      game.margin > 0 ? `+${game.margin}` : game.margin,
      game.reason !== "rules" && tOr(`challenge.reason.${game.reason}`, game.reason),
    );
    const fault = game.fault && one.logs.length > 0 ? [h("small.fault", say(game.fault_message, game.fault))] : [];
    this.how.replaceChildren(text, ...fault);
    const path = `/api/challenges/${one.id}/games/${this.board}/${this.seats}`;
    const label = t("challenge.log.label", { n: number + 1 });
    this.logs.replaceChildren(
      ...one.logs.map((role) => download(`${path}/${role}.log`, t("challenge.log"), "link", label)),
    );
  }
}

/**
 * Returns links to the reports of the visitor's own bots, once the challenge is over.
 * @param {Challenge} one @param {[string, string]} names
 */
function reportLinks(one, names) {
  if (one.state !== "done") return [];
  const reports = [one.challenger, one.defender].map(({ player }, at) => {
    const href = `/bots/${player.slice(4)}/report/${one.versions[at]}`;
    const label = t("challenge.report.label", { name: names[at] });
    return h("a.quiet", { href, "aria-label": label }, t("challenge.report"));
  });
  return reports.filter((_, at) => one.logs.includes(["challenger", "defender"][at]));
}

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, words) {
  await loadAssets("bots");
  await loadAssets("challenge");
  /** @type {Challenge} */
  let one = await ask(`/api/challenges/${words[0] ?? ""}`);
  /** @type {[string, string]} */
  const names = [
    personName(one.challenger.player, one.challenger.name),
    personName(one.defender.player, one.defender.name),
  ];
  document.title = `${names.join(" – ")} · Ludus`;
  main.className = "challenge";
  const link = (/** @type {Player} */ player, /** @type {string} */ name) =>
    player.player.startsWith("bot:") && player.name ? h("a", { href: `/bots/${player.player.slice(4)}` }, name) : name;
  const score = h("p.big", { "aria-live": "polite" });
  const text = h("p.verdict");
  const changed = h("ul.changes");
  const own = h("div.row");
  const rows = Array.from(
    { length: 2 * one.pairs },
    (_, at) => new GameRow(at >> 1, at & 1, names[at & 1], one.logs.length > 0),
  );
  const heads = [...["opening", "first", "result", "how"], ...(one.logs.length ? ["logs"] : [])].map((key) =>
    t(`challenge.${key}`),
  );
  const elements = rows.map(({ element }) => element);
  const live = new LiveBoard(h("div.live"));
  main.append(
    h("h1.unseen", names.join(" – ")),
    h(
      "section.part.scoreboard",
      h(
        "p.dim",
        h("a", { href: `/ladder/${one.game}` }, gameName(one.game, one.game)),
        ` · ${t(one.rated ? "bots.rated" : "bots.unrated")} · ${shortDateTime(one.created)}`,
      ),
      h(
        "div.versus",
        h("strong", link(one.challenger, names[0]), h("small", t("challenge.challenger"))),
        score,
        h("strong", link(one.defender, names[1]), h("small", t("challenge.defender"))),
      ),
      text,
      changed,
      own,
    ),
    h(
      "div.columns",
      card(t("challenge.games"), scrollTable("", t("challenge.games"), heads, elements)),
      card(t("challenge.board"), live.place),
    ),
  );

  function draw() {
    score.textContent = scoreText(one.score ?? [0, 0]);
    text.textContent = resultText(one, names);
    text.className = `verdict ${one.state === "failed" ? "failed" : ""}`;
    changed.replaceChildren(...ladderChanges(one, names).map((line) => h("li", line)));
    own.replaceChildren(...reportLinks(one, names));
    for (const row of rows) row.show(one);
    const last = one.games[one.games.length - 1];
    if (one.playing)
      live.show(one.playing, t("challenge.now")).catch(() => {}); // the next game shows its own board
    else if (last && one.state !== "open") live.show(last.match, t("challenge.last")).catch(() => {});
    else if (!live.match) live.place.replaceChildren(h("p.dim", t("challenge.soon")));
  }
  draw();
  if (one.state !== "open") return () => live.close();
  let shown = "";
  const source = listen(`/api/challenges/${one.id}/events`, async (update) => {
    const { board, seats, match, done } = update.progress ?? {};
    const now = JSON.stringify([update.over, board, seats, match, done]);
    if (update.over) source.close();
    if (now === shown) return;
    shown = now;
    one = await ask(`/api/challenges/${one.id}`);
    draw();
  });
  return () => (source.close(), live.close());
}
