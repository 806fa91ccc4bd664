// Offers between two people in a match: a draw, a takeback, and the open seat that can be withdrawn. Takes the server's
// view of the match and gives elements; decides nothing.

import { button } from "../components.js";
import { ask, go, h, t } from "../page.js";

/** @import { View } from "../pages/match.js" */

/** Returns the buttons for what the person may offer. @param {View} view */
export function offerButtons({ id, may = [], seats }) {
  const offer = (/** @type {string} */ what) =>
    button(`offer.${what}`, () => ask(`/api/matches/${id}/offer`, { what }));
  const waits = seats.some(({ player }) => player === "open") && seats.some(({ you }) => you);
  const withdraw = async () => (await ask(`/api/lobby/${id}/withdraw`, {}), go("/lobby"));
  return [
    may.includes("draw") && offer("draw"),
    may.includes("takeback") && offer("takeback"),
    waits && button("offer.seat.withdraw", withdraw),
  ];
}

/** Returns the offer that waits for its answer, and what can be done about it. @param {View} view */
export function offerNotice({ id, may = [], offer }) {
  if (!offer || !(may.includes("answer") || may.includes("withdraw"))) return [];
  const { what } = offer;
  const answer = (/** @type {boolean} */ accept) => ask(`/api/matches/${id}/offer/answer`, { accept });
  const mine = may.includes("withdraw");
  const actions = mine
    ? [button("offer.withdraw", () => ask(`/api/matches/${id}/offer/withdraw`, {}))]
    : [button("offer.accept", () => answer(true), "button"), button("offer.decline", () => answer(false))];
  const words = h("p", t(mine ? `offer.${what}.made` : `offer.${what}.asked`));
  return [h("div.offer", { role: "status" }, words, h("div.actions", ...actions))];
}
