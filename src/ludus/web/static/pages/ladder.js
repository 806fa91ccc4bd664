// The ladder of a game: ranks and ratings, and whom one's own bots may challenge. Decides nothing.

import {
  RequestError,
  ask,
  gameName,
  go,
  h,
  handler,
  loadAssets,
  personName,
  say,
  signedIn,
  storage,
  svg,
  t,
} from "../page.js";
import { challengeRow } from "./bots.js";
import { clockName } from "./play.js";

/** @typedef {import("./bots.js").Rating} Rating */
/**
 * @typedef {{ player: string, name?: string | null, rank: number, owner: string | null, mine: boolean, fixed: boolean,
 *   won: number, drawn: number, lost: number, rating: Rating | null }} Line
 */
/**
 * @typedef {{ player: string, name: string, rank: number | null, why_not: Record<string, string>,
 *   why_not_messages: Record<string, import("../page.js").Message> }} Mine
 */
/**
 * @typedef {{ game: string, lines: Line[], mine: Mine[], rules: { reach: number, pairs: number, clock: string,
 *   most_a_day: number }, challenges: import("./bots.js").ChallengeLine[] }} Ladder
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

/** @param {Line} line @param {[number, number]} range @returns {(Node | string | false)[]} */
function ratingParts({ rating, fixed }, range) {
  if (!rating) return [h("span.dim", t("ladder.unknown"))];
  const spread = Math.round((rating.high - rating.low) / 2);
  const vague =
    spread > MAX_SPREAD && h("small.vague", { title: t("ladder.provisional.why") }, t("ladder.provisional"));
  return [
    h("span.worth", String(Math.round(rating.elo)), !fixed && h("small", ` ± ${spread}`)),
    vague,
    ratingPlot(rating, range),
  ];
}

/** @param {HTMLElement} main @param {string} game @param {{ name: string, title: string }[]} games */
async function showLadder(main, game, games) {
  /** @type {Ladder} */
  const ladder = await ask(`/api/ladders/${game}`);
  const name = gameName(game, games.find((one) => one.name === game)?.title ?? game);
  document.title = `${t("ladder.title", { game: name })} · Ludus`;
  storage.write("game", game);
  const numbers = ladder.lines.flatMap(({ rating }) => (rating ? [rating.low, rating.high] : []));
  /** @type {[number, number]} */
  const range = [Math.min(0, ...numbers), Math.max(1, ...numbers)];
  let mine = ladder.mine.find(({ rank }) => rank !== null) ?? ladder.mine[0];
  const table = h("tbody");

  /** @param {Line} line @param {boolean} counts whether it is rated */
  const challenge = ({ player }, counts) =>
    handler(async () => {
      const made = await ask(`/api/bots/${mine.player.slice(4)}/challenges`, { defender: player, rated: counts });
      go(`/challenge/${made.id}`);
    });

  function draw() {
    table.replaceChildren(
      ...ladder.lines.map((line) => {
        const called = personName(line.player, line.name);
        const self = mine?.player === line.player;
        const why = mine?.why_not[line.player];
        return h(
          "tr",
          { class: self ? "mine" : "" },
          h("td.rank", String(line.rank)),
          h(
            "th",
            { scope: "row" },
            line.fixed ? called : h("a", { href: `/bots/${line.player.slice(4)}` }, called),
            h("small", line.fixed ? t("ladder.fixed") : line.mine ? t("ladder.yours") : (line.owner ?? "")),
          ),
          h("td.tally", line.won + line.drawn + line.lost > 0 ? `${line.won} – ${line.drawn} – ${line.lost}` : "–"),
          h("td.rating", ...ratingParts(line, range)),
          h(
            "td.act",
            mine &&
              !self &&
              why === "" &&
              h(
                "button.button",
                { "aria-label": t("ladder.challenge.label", { name: called }), click: challenge(line, true) },
                t("ladder.challenge"),
              ),
            mine &&
              !self &&
              why !== "" &&
              h(
                "button.quiet",
                {
                  title: say(mine?.why_not_messages[line.player], why),
                  "aria-label": t("ladder.unrated.label", { name: called }),
                  click: challenge(line, false),
                },
                t("ladder.unrated"),
              ),
          ),
        );
      }),
    );
  }

  main.append(
    h("h1", t("ladder.title", { game: name })),
    h(
      "nav.tabs",
      { "aria-label": t("ladder.games") },
      ...games.map((one) =>
        h(
          "a",
          { href: `/ladder/${one.name}`, "aria-current": one.name === game ? "page" : null },
          gameName(one.name, one.title),
        ),
      ),
    ),
    h(
      "div.columns.ladder-columns",
      h(
        "section.part",
        ladder.mine.length > 0 &&
          h(
            "div.who-challenges",
            h(
              "label.field",
              t("ladder.mine"),
              h(
                "select",
                {
                  change: (/** @type {Event} */ event) => (
                    (mine = ladder.mine[/** @type {HTMLSelectElement} */ (event.target).selectedIndex]),
                    draw()
                  ),
                },
                ...ladder.mine.map((one) =>
                  h(
                    "option",
                    { selected: one === mine },
                    one.rank === null
                      ? t("ladder.mine.off", { name: one.name })
                      : t("ladder.mine.on", { name: one.name, n: one.rank }),
                  ),
                ),
              ),
            ),
            mine?.rank === null &&
              h(
                "p.row",
                h(
                  "button.button",
                  {
                    click: handler(
                      async () => (await ask(`/api/bots/${mine.player.slice(4)}/enter`, {}), go(`/ladder/${game}`)),
                    ),
                  },
                  t("ladder.enter"),
                ),
                h("span.dim", t("ladder.enter.about")),
              ),
          ),
        ladder.lines.length > 0
          ? h(
              "div.scroll",
              h(
                "table",
                h("caption.unseen", t("ladder.title", { game: name })),
                h(
                  "thead",
                  h(
                    "tr",
                    ...["rank", "player", "tally", "rating", "act"].map((key) =>
                      h(
                        "th",
                        { scope: "col", class: key },
                        key === "act" ? h("span.unseen", t("ladder.act")) : t(`ladder.${key}`),
                      ),
                    ),
                  ),
                ),
                table,
              ),
            )
          : h("p", t("ladder.empty")),
      ),
      h(
        "div.side",
        ladder.mine.length === 0 &&
          h(
            "section.part",
            h("h2", t("ladder.join")),
            h("p", t("ladder.join.how")),
            h("a.button", { href: "/bots" }, t(signedIn() ? "ladder.join.do" : "ladder.join.sign-in")),
          ),
        h(
          "section.part",
          h("h2", t("ladder.recent")),
          ladder.challenges.length
            ? h("ul.challenges", ...ladder.challenges.map((one) => challengeRow(one)))
            : h("p.dim", t("ladder.recent.none")),
        ),
        h(
          "section.part.rules",
          h("h2", t("ladder.rules")),
          h(
            "ul",
            ...["1", "2", "3", "4", "5"].map((key) =>
              h("li", t(`ladder.rule.${key}`, { ...ladder.rules, clock: clockName(ladder.rules.clock) })),
            ),
          ),
        ),
      ),
    ),
  );
  draw();
}

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, words) {
  await loadAssets("bots");
  await loadAssets("ladder");
  main.className = "ladder";
  const games = await ask("/api/games");
  if (words[0] && !games.some((/** @type {{ name: string }} */ one) => one.name === words[0]))
    throw new RequestError("", 404);
  const wanted = words[0] ?? storage.read("game") ?? "";
  await showLadder(
    main,
    games.some((/** @type {{ name: string }} */ one) => one.name === wanted) ? wanted : games[0].name,
    games,
  );
}
