// Challenges in lists, and the data of bots that several pages share. Pure: data in, elements out.

import { gameName, h, joinFacts, personName, t } from "../page.js";
import { dateTime } from "../components.js";

/** @typedef {{ elo: number, low: number, high: number, games: number }} Rating */
/** @typedef {{ player: string, name?: string | null }} Player */
/**
 * @typedef {{ id: string, game: string, challenger: Player, defender: Player, rated: boolean, state: string, score:
 *   [number, number] | null, ranks: Record<string, [number | null, number | null]> | null, created: string }}
 *   ChallengeLine
 */

/** @param {string} moment */
export const shortDateTime = (moment) =>
  dateTime(moment, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });

/** Returns both scores of a challenge, with halves. @param {[number, number]} score */
export const scoreText = (score) =>
  score.map((value) => (Number.isInteger(value) ? String(value) : `${Math.floor(value) || ""}½`)).join(" : ");

/** Returns half the width of a rating's interval, rounded. @param {Rating} rating */
export const spreadOf = ({ low, high }) => Math.round((high - low) / 2);

/** Returns how far a challenge is, or what it changed. @param {ChallengeLine} one */
function stateText({ challenger, ranks, state, created }) {
  const [from, to] = ranks?.[challenger.player] ?? [null, null];
  if (from !== to) return t("bots.rank.moved", { from: from ?? "–", to: to ?? "–" });
  if (state === "open") return t("bots.running");
  return state === "failed" ? t("bots.stopped") : shortDateTime(created);
}

/** Returns challenges as a list. @param {ChallengeLine[]} challenges @param {boolean} [withGame] whether it is named */
export function challengeList(challenges, withGame = false) {
  const row = (/** @type {ChallengeLine} */ one) =>
    h(
      "a",
      { href: `/challenge/${one.id}` },
      h(
        "span.pair-names",
        h("strong", personName(one.challenger.player, one.challenger.name)),
        h("span.result", one.score ? scoreText(one.score) : "–"),
        h("strong", personName(one.defender.player, one.defender.name)),
      ),
      h(
        "span.dim",
        joinFacts(
          withGame && gameName(one.game, one.game),
          t(one.rated ? "bots.rated" : "bots.unrated"),
          stateText(one),
        ),
      ),
    );
  return h("ul.challenges", ...challenges.map((one) => h("li", row(one))));
}
