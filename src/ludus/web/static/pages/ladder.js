// The ladder of a game: ranks and ratings, and whom one's own bots may challenge. Decides nothing.

import {
  RequestError,
  ask,
  gameName,
  go,
  h,
  initialGame,
  loadAssets,
  personName,
  say,
  signedIn,
  storage,
  svg,
  t,
} from "../page.js";
import { button, card, field, scrollTable, select } from "../components.js";
import { challengeList, spreadOf } from "../bots/challenges.js";
import { clockName } from "../setup.js";

/** @import { ChallengeLine, Rating } from "../bots/challenges.js" */
/** @import { Message } from "../page.js" */
/**
 * @typedef {{ player: string, name?: string | null, rank: number, owner: string | null, mine: boolean, fixed: boolean,
 *   won: number, drawn: number, lost: number, rating: Rating | null }} Line
 */
/**
 * @typedef {{ player: string, name: string, rank: number | null, why_not: Record<string, string>,
 *   why_not_messages: Record<string, Message> }} Mine
 */
/**
 * @typedef {{ game: string, lines: Line[], mine: Mine[], rules: { reach: number, pairs: number, clock: string,
 *   most_a_day: number }, challenges: ChallengeLine[] }} Ladder
 */

/** A rating with a larger half interval, in Elo, is provisional. */
const MAX_SPREAD = 400;

/**
 * Returns a plot of a rating between the weakest and the strongest.
 * @param {Rating} rating @param {[number, number]} range
 */
function ratingPlot({ elo, low, high }, [least, most]) {
  const x = (/** @type {number} */ value) => 3 + (94 * (value - least)) / (most - least);
  return svg(
    "svg.strength",
    { viewBox: "0 0 100 12", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("line.axis", { x1: 0, x2: 100, y1: 6, y2: 6 }),
    high > low && svg("line.interval", { x1: x(low), x2: x(high), y1: 6, y2: 6 }),
    svg("rect.point", { x: x(elo) - 1, y: 1, width: 2, height: 10 }),
  );
}

/** @param {Line} line @param {[number, number]} range */
function ratingCell({ rating, fixed }, range) {
  if (!rating) return h("td.rating", h("span.dim", t("ladder.unknown")));
  const spread = spreadOf(rating);
  return h(
    "td.rating",
    h("span.worth", String(Math.round(rating.elo)), !fixed && h("small", ` ± ${spread}`)),
    spread > MAX_SPREAD && h("small.vague", { title: t("ladder.provisional.why") }, t("ladder.provisional")),
    ratingPlot(rating, range),
  );
}

/** Returns the number of a bot. @param {string} player such as "bot:7" */
const botId = (player) => player.slice("bot:".length);

class LadderPage {
  /** @param {HTMLElement} main @param {Ladder} ladder @param {{ name: string, title: string }[]} games */
  constructor(main, ladder, games) {
    this.ladder = ladder;
    this.mine = ladder.mine.find(({ rank }) => rank !== null) ?? ladder.mine[0];
    const numbers = ladder.lines.flatMap(({ rating }) => (rating ? [rating.low, rating.high] : []));
    /** @type {[number, number]} */
    this.range = [Math.min(0, ...numbers), Math.max(1, ...numbers)];
    const name = gameName(ladder.game, games.find((one) => one.name === ladder.game)?.title ?? ladder.game);
    const title = (this.title = t("ladder.title", { game: name }));
    document.title = `${title} · Ludus`;
    const current = (/** @type {string} */ game) => (game === ladder.game ? "page" : null);
    const tabs = games.map((one) =>
      h("a", { href: `/ladder/${one.name}`, "aria-current": current(one.name) }, gameName(one.name, one.title)),
    );
    this.table = h("div");
    main.append(
      h("h1", title),
      h("nav.tabs", { "aria-label": t("ladder.games") }, ...tabs),
      h(
        "div.columns.ladder-columns",
        h(
          "section.part",
          ladder.mine.length > 0 && this.challengerChoice(),
          ladder.lines.length > 0 ? this.table : h("p", t("ladder.empty")),
        ),
        h("div.side", ...this.sideCards()),
      ),
    );
    this.drawTable();
  }

  drawTable() {
    const heads = ["rank", "player", "tally", "rating", "act"];
    const head = heads.map((key) => /** @type {[string, string]} */ ([key, t(`ladder.${key}`)]));
    const rows = this.ladder.lines.map((line) => this.row(line));
    this.table.replaceChildren(scrollTable("", this.title, head, rows));
  }

  /** Returns the field that chooses which of your bots challenges. */
  challengerChoice() {
    const { mine, game } = this.ladder;
    const choices = mine.map(({ player, name, rank }) => {
      const words = rank === null ? t("ladder.mine.off", { name }) : t("ladder.mine.on", { name, n: rank });
      return [player, words];
    });
    const choose = (/** @type {string} */ player) => {
      this.mine = /** @type {Mine} */ (mine.find((one) => one.player === player));
      this.drawTable();
    };
    const enter = async () => (await ask(`/api/bots/${botId(this.mine.player)}/enter`, {}), go(`/ladder/${game}`));
    return h(
      "div.who-challenges",
      field(t("ladder.mine"), select(choices, this.mine.player, {}, choose)),
      this.mine.rank === null &&
        h("p.row", button("ladder.enter", enter, "button"), h("span.dim", t("ladder.enter.about"))),
    );
  }

  /** @param {Line} line */
  row(line) {
    const { player, rank, won, drawn, lost } = line;
    const name = personName(player, line.name);
    const owner = line.fixed ? t("ladder.fixed") : line.mine ? t("ladder.yours") : (line.owner ?? "");
    const self = this.mine?.player === player;
    return h(
      "tr",
      { class: self ? "mine" : "" },
      h("td.rank", String(rank)),
      h(
        "th",
        { scope: "row" },
        line.fixed ? name : h("a", { href: `/bots/${botId(player)}` }, name),
        h("small", owner),
      ),
      h("td.tally", won + drawn + lost > 0 ? `${won} – ${drawn} – ${lost}` : "–"),
      ratingCell(line, this.range),
      h("td.act", this.mine && !self && this.challengeButton(player, name)),
    );
  }

  /**
   * Returns a button for a rated challenge, or for an unrated one where the rules allow no other.
   * @param {string} player @param {string} name
   */
  challengeButton(player, name) {
    const why = this.mine.why_not[player];
    const rated = why === "";
    const challenge = async () => {
      const made = await ask(`/api/bots/${botId(this.mine.player)}/challenges`, { defender: player, rated });
      go(`/challenge/${made.id}`);
    };
    if (rated) return button("ladder.challenge", challenge, "button", t("ladder.challenge.label", { name }));
    const unrated = button("ladder.unrated", challenge, "quiet", t("ladder.unrated.label", { name }));
    unrated.title = say(this.mine.why_not_messages[player], why);
    return unrated;
  }

  sideCards() {
    const { mine, challenges, rules } = this.ladder;
    const values = { ...rules, clock: clockName(rules.clock) };
    return [
      mine.length === 0 &&
        card(
          t("ladder.join"),
          h("p", t("ladder.join.how")),
          h("a.button", { href: "/bots" }, t(signedIn() ? "ladder.join.do" : "ladder.join.sign-in")),
        ),
      card(t("ladder.recent"), challenges.length ? challengeList(challenges) : h("p.dim", t("ladder.recent.none"))),
      card(
        t("ladder.rules"),
        h("ul.rules", ...["1", "2", "3", "4", "5"].map((n) => h("li", t(`ladder.rule.${n}`, values)))),
      ),
    ];
  }
}

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, [wanted]) {
  await loadAssets("bots");
  await loadAssets("ladder");
  main.className = "ladder";
  /** @type {{ name: string, title: string }[]} */
  const games = await ask("/api/games");
  if (wanted && !games.some(({ name }) => name === wanted)) throw new RequestError("", 404);
  const game = initialGame(games, wanted);
  storage.write("game", game);
  new LadderPage(main, await ask(`/api/ladders/${game}`), games);
}
