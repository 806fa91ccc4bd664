// The graph of a rating: the value after each game, with its interval as a band. Takes data and gives an element.

import { dateTime } from "../components.js";
import { numberText, svg, t } from "../page.js";

/** @typedef {{ at: string, match: string, rating: { elo: number, low: number, high: number, games: number } }} Point */

const WIDTH = 460;
const HEIGHT = 150;
const LEFT = 54;
const TOP = 10;
const BOTTOM = 22;

/** Returns a value as people read it. @param {Point["rating"]} rating */
export const ratingText = ({ elo, low, high }) =>
  t("rating.value", { elo: numberText(Math.round(elo)), spread: numberText(Math.round((high - low) / 2)) });

/** Draws ratings in a game. @param {Point[]} points the oldest first @param {string} name of the game */
export function ratingGraph(points, name) {
  const least = Math.min(...points.map(({ rating }) => rating.low));
  const most = Math.max(...points.map(({ rating }) => rating.high));
  const x = (/** @type {number} */ index) => LEFT + ((WIDTH - LEFT - 12) * (index + 0.5)) / Math.max(1, points.length);
  const y = (/** @type {number} */ elo) => TOP + ((HEIGHT - TOP - BOTTOM) * (most - elo)) / Math.max(1, most - least);
  const path = (/** @type {[number, number][]} */ places) => `M${places.map((place) => place.join(" ")).join("L")}`;
  /** @type {[number, number][]} */
  const line = points.map(({ rating }, index) => [x(index), y(rating.elo)]);
  const ends = points.length > 1 ? points : [points[0], points[0]]; // one game has a band of some width, too
  const across = (/** @type {number} */ index) => (points.length > 1 ? x(index) : x(0) + 60 * (index - 0.5));
  /** @type {[number, number][]} */
  const above = ends.map(({ rating }, index) => [across(index), y(rating.high)]);
  /** @type {[number, number][]} */
  const below = ends.map(({ rating }, index) => [across(index), y(rating.low)]);
  const last = points[points.length - 1];
  const label = (/** @type {number} */ elo) =>
    svg("text", { x: LEFT - 8, y: y(elo) + 4, "text-anchor": "end" }, numberText(Math.round(elo)));
  const days = [points[0], last].map(({ at }) => dateTime(at, { dateStyle: "medium" }));
  return svg(
    "svg.rating",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": t("rating.label", { game: name, n: points.length, rating: ratingText(last.rating) }),
    },
    ...[least, most].map((elo) => svg("line.track", { x1: LEFT, x2: WIDTH - 8, y1: y(elo), y2: y(elo) })),
    svg("path.band", { d: `${path([...above, ...below.reverse()])}Z` }),
    svg("path.curve", { d: path(line) }),
    ...line.map(([cx, cy]) => svg("circle.point", { cx, cy, r: points.length > 60 ? 1.5 : 3.5 })),
    label(least),
    label(most),
    svg("text", { x: LEFT, y: HEIGHT - 5 }, days[0]),
    days[0] !== days[1] && svg("text", { x: WIDTH - 8, y: HEIGHT - 5, "text-anchor": "end" }, days[1]),
  );
}
