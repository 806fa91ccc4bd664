// The profile of a person: ratings, results, bots and games that they let others see. Decides nothing.

import { card, dateTime, scrollTable } from "../components.js";
import { RequestError, ask, gameName, gap, h, handler, loadAssets, t, toast } from "../page.js";
import { gameList, homeTabs, pager } from "../people/lists.js";
import { ratingGraph, ratingText } from "../people/rating.js";

/** @import { GamePage } from "../people/lists.js" */
/** @import { Point } from "../people/rating.js" */
/** @typedef {{ game: string, title: string, won: number, drawn: number, lost: number }} Total */
/** @typedef {{ game: string, level: number, won: number, drawn: number, lost: number }} LevelScore */
/**
 * @typedef {{ name: string, joined: string, mine: boolean, public: boolean, shows: string[], totals: Total[] | null,
 *   games: GamePage | null, ratings: { game: string, title: string, points: Point[] }[] | null, bots: { id: number,
 *   name: string, game: string, entered: boolean }[] | null, levels: LevelScore[] | null }} Profile
 */

const PARTS = ["games", "ratings", "bots", "levels"];
const LEVELS = Array.from({ length: 10 }, (_, index) => index + 1);

/** Returns the ratings, a graph for each game. @param {NonNullable<Profile["ratings"]>} ratings */
function ratingCard(ratings) {
  if (!ratings.length) return card(t("person.ratings"), h("p.dim", t("person.ratings.none")));
  const parts = ratings.map(({ game, title, points }) => {
    const name = gameName(game, title);
    const { rating } = points[points.length - 1];
    return h(
      "figure",
      h("figcaption", h("strong", name), h("span.value", ratingText(rating))),
      ratingGraph(points, name),
    );
  });
  return card(t("person.ratings"), ...parts, h("p.dim", t("person.ratings.about")));
}

/** @param {Total[]} totals */
function totalCard(totals) {
  if (!totals.length) return card(t("person.results"), h("p.dim", t("person.results.none")));
  const row = (/** @type {Total} */ { game, title, won, drawn, lost }) =>
    h("tr", h("th", { scope: "row" }, gameName(game, title)), ...[won, drawn, lost].map((n) => h("td", String(n))));
  const heads = [t("person.game"), ...["won", "drawn", "lost"].map((one) => t(`result.${one}`))];
  return card(t("person.results"), scrollTable("scores", t("person.results"), heads, totals.map(row)));
}

/** Returns the results against each level: how often each was beaten. @param {LevelScore[]} levels */
function levelCard(levels) {
  if (!levels.length) return card(t("person.levels"), h("p.dim", t("person.levels.none")));
  const games = [...new Set(levels.map(({ game }) => game))];
  const cell = (/** @type {string} */ game, /** @type {number} */ level) => {
    const score = levels.find((one) => one.game === game && one.level === level);
    if (!score) return h("td.dim", "–");
    const { won, drawn, lost } = score;
    const label = t("person.levels.cell", { won, drawn, lost });
    const share = Math.round((100 * (won + drawn / 2)) / (won + drawn + lost));
    return h(
      "td",
      { class: won > lost ? "ahead" : "", title: label },
      `${share}%`,
      h("small", { "aria-hidden": "true" }, String(won + drawn + lost)),
      h("span.unseen", ` ${label}`),
    );
  };
  const rows = games.map((game) =>
    h("tr", h("th", { scope: "row" }, gameName(game, game)), ...LEVELS.map((level) => cell(game, level))),
  );
  const heads = [t("person.game"), ...LEVELS.map(String)];
  return card(
    t("person.levels"),
    scrollTable("scores levels", t("person.levels"), heads, rows),
    h("p.dim", t("person.levels.about")),
  );
}

/** @param {NonNullable<Profile["bots"]>} bots */
function botCard(bots) {
  const row = (/** @type {(typeof bots)[0]} */ { id, name, game, entered }) =>
    h(
      "li",
      h("a", { href: `/bots/${id}` }, h("strong", name)),
      h("span", gameName(game, game)),
      entered && h("a", { href: `/ladder/${game}` }, t("person.on-ladder")),
    );
  const list = bots.length ? h("ul.plain-list", ...bots.map(row)) : h("p.dim", t("person.bots.none"));
  return card(t("person.bots"), list);
}

/** Returns the choice of what others see. @param {Profile} profile */
function privacyCard(profile) {
  const save = handler(async () => {
    const data = new FormData(form);
    await ask("/api/profile", { public: data.has("public"), shows: data.getAll("shows") });
    parts.disabled = !data.has("public");
    toast(t("person.saved"));
  });
  const tick = (/** @type {string} */ name, /** @type {string} */ value, /** @type {boolean} */ checked) => {
    const key = name === "public" ? "person.show.public" : `person.show.${value}`;
    const words = h("span", h("strong", t(key)), h("small", t(`${key}.about`)));
    return h("label.tick", h("input", { type: "checkbox", name, value, checked, change: save }), words);
  };
  const parts = h(
    "fieldset.scopes",
    { disabled: !profile.public },
    h("legend", t("person.show.parts")),
    ...PARTS.map((part) => tick("shows", part, profile.shows.includes(part))),
  );
  const form = h("form", tick("public", "yes", profile.public), parts);
  return card(t("person.privacy"), form);
}

/** Returns the games that anybody could find. @param {Profile} profile @param {GamePage} first */
function gameCard({ name, mine }, first) {
  const place = h("div.rows");
  const draw = (/** @type {GamePage} */ found, /** @type {number} */ page) => {
    const load = (/** @type {number} */ to) =>
      handler(async () => draw(await ask(`/api/people/${encodeURIComponent(name)}/games?page=${to}`), to))();
    const parts = [gameList(found.games, mine), pager(found, page, load)];
    place.replaceChildren(...parts.filter((part) => part instanceof Node));
  };
  if (first.count) draw(first, 0);
  else place.append(h("p.dim", t("person.games.none")));
  return card(
    t("person.games"),
    h("p.dim", t("person.games.about"), mine && gap(), mine && t("person.games.others")),
    place,
  );
}

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, [name]) {
  await loadAssets("people");
  /** @type {Profile} */
  const profile = await ask(`/api/people/${encodeURIComponent(name)}`).catch((error) => {
    throw error instanceof RequestError && error.status === 422 ? new RequestError("", 404) : error;
  });
  document.title = `${profile.name} · Ludus`;
  main.className = "people person";
  const { totals, games, ratings, bots, levels, mine } = profile;
  const parts = [ratings && ratingCard(ratings), totals && totalCard(totals), levels && levelCard(levels)];
  const aside = [mine && privacyCard(profile), bots && botCard(bots)];
  const nodes = (/** @type {unknown[]} */ list) => list.filter((one) => one instanceof Node);
  main.append(
    h("h1", profile.name),
    mine ? homeTabs("profile", profile.name) : "",
    h("p.dim.joined", t("person.joined", { date: dateTime(profile.joined, { year: "numeric", month: "long" }) })),
    h("div.columns", h("div", ...nodes(parts)), h("div", ...nodes(aside))),
    games ? gameCard(profile, games) : "",
  );
}
