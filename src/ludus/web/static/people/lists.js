// Lists of games that people have played, and who was on the other side. Takes data and gives elements.

import { dateTime } from "../components.js";
import { gameName, h, icon, joinFacts, personName, sideMark, t, tCount } from "../page.js";

/** @import { Child } from "../page.js" */
/** @typedef {{ player: string, name?: string | null, person?: boolean, private?: boolean, here?: boolean }} Opponent */
/**
 * @typedef {{ id: string, game: string, title: string, side: number, opponent: Opponent, result: string, moves: number,
 *   rated: boolean, touched: string }} PlayedGame
 */
/** @typedef {{ games: PlayedGame[], count: number, size: number }} GamePage */

/** Returns the address of a person's profile. @param {string} name */
export const profileAddress = (name) => `/person/${encodeURIComponent(name)}`;

/** Returns the name of an opponent; that of a person leads to the profile. @param {Opponent} opponent */
function opponentName({ player, name, person, private: hidden, here }) {
  if (here) return t("play.here");
  if (hidden) return t("people.private");
  if (player === "human" && !name) return t("people.guest");
  const words = personName(player, name);
  return person && name ? h("a", { href: profileAddress(name) }, words) : words;
}

/** @param {string} result @returns {Child} */
const resultBadge = (result) => h("span", { class: `result ${result}` }, t(`result.${result}`));

/** Returns a game as a row. @param {PlayedGame} game @param {boolean} mine whether it is in one's own list */
function gameRow({ id, game, title, side, opponent, result, moves, rated, touched }, mine) {
  const name = gameName(game, title);
  const open = result === "open";
  const versus = opponent.here || opponent.player === "open" ? null : h("span", t("people.versus"), " ");
  const other = opponent.player === "open" ? t("player.open") : opponentName(opponent);
  const reviews = mine && !open;
  const action = reviews ? "match.analyse" : open && mine ? "people.continue" : "people.watch";
  return h(
    "li",
    { class: open ? "open" : "" },
    resultBadge(result),
    h("a.title", { href: `/match/${id}` }, sideMark(side), h("strong", name)),
    h("span.other", versus, other),
    h("span.dim", joinFacts(tCount("moves", moves), rated && t("people.rated"), dateTime(touched))),
    h(
      "a",
      { class: open && mine ? "button" : "quiet", href: `/${reviews ? "analysis" : "match"}/${id}` },
      t(action),
      h("span.unseen", `: ${name}`),
    ),
  );
}

/** Returns a list of games. @param {PlayedGame[]} games @param {boolean} mine */
export const gameList = (games, mine) => h("ul.played", ...games.map((game) => gameRow(game, mine)));

/**
 * Returns the buttons for the pages of a list; nothing where there is one page.
 * @param {GamePage} found @param {number} page @param {(page: number) => unknown} turn
 */
export function pager({ count, size }, page, turn) {
  const last = Math.max(0, Math.ceil(count / size) - 1);
  if (!last) return null;
  const step = (/** @type {"back" | "next"} */ name, /** @type {number} */ to) =>
    h(
      "button.quiet",
      { "aria-label": t(`people.${name}`), disabled: to < 0 || to > last, click: () => turn(to) },
      icon(name),
    );
  return h(
    "nav.pager",
    { "aria-label": t("people.pages") },
    step("back", page - 1),
    h("span", t("people.page", { n: page + 1, of: last + 1 })),
    step("next", page + 1),
  );
}

/** Returns the links between one's own pages. @param {string} current @param {string} [name] of the person */
export function homeTabs(current, name) {
  const tabs = [["games", "/games"], ["studies", "/studies"], ...(name ? [["profile", profileAddress(name)]] : [])];
  return h(
    "nav.tabs",
    { "aria-label": t("people.tabs") },
    ...tabs.map(([key, href]) =>
      h("a", { href, "aria-current": key === current ? "page" : null }, t(`people.tab.${key}`)),
    ),
  );
}
