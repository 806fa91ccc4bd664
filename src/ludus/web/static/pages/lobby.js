// The lobby: seats that wait for anybody, quick pairing, and a form to offer a seat. Decides nothing.

import {
  button,
  card,
  field,
  gameChoices,
  listen,
  radioGroup,
  select,
  submitButton,
  submitForm,
} from "../components.js";
import {
  ask,
  gameName,
  go,
  h,
  initialGame,
  joinFacts,
  loadAssets,
  numberText,
  optionName,
  optionValue,
} from "../page.js";
import { sideMark, sideName, signedIn, storage, t } from "../page.js";
import { profileAddress } from "../people/lists.js";
import { clockName, fieldOptions, gameOptionFields } from "../setup.js";

/** @import { Game } from "../page.js" */
/**
 * @typedef {{ id: string, game: string, title: string, options?: Record<string, number | string>, clock: string,
 *   rated?: boolean, side: number, name?: string, rating?: number, mine?: boolean }} Seat
 */

const CLOCKS = ["60+1", "180+2", "300", "600+5", "none"];
const USUAL = "600+5";

/** Returns the tick box for a rated game; a guest cannot play one. */
function ratedTick() {
  const known = Boolean(signedIn());
  return h(
    "label.tick",
    h("input", { type: "checkbox", name: "rated", value: "yes", disabled: !known }),
    h("span", h("strong", t("lobby.rated")), h("small", t(known ? "lobby.rated.about" : "lobby.rated.guest"))),
  );
}

/** @param {string} [name] of the field */
const clockSelect = (name = "clock") =>
  select(
    CLOCKS.map((text) => [text, clockName(text)]),
    USUAL,
    { name },
  );

/** Returns the form that finds an opponent at once. @param {Game[]} games */
function pairingCard(games) {
  const pair = async (/** @type {Record<string, string>} */ { game, clock, rated }) => {
    storage.write("game", game);
    const { id } = await ask("/api/lobby/pair", { game, clock, rated: rated === "yes" });
    go(`/match/${id}`);
  };
  return card(
    t("lobby.quick"),
    h("p.dim", t("lobby.quick.about")),
    submitForm(
      pair,
      h(
        "div.fields",
        field(t("play.game"), select(gameChoices(games), initialGame(games), { name: "game" })),
        field(t("play.clock"), clockSelect()),
      ),
      ratedTick(),
      submitButton("lobby.pair", "button large"),
    ),
  );
}

/** Returns the form that offers a seat. @param {Game[]} games */
function seatCard(games) {
  const gameOf = (/** @type {string} */ name) => /** @type {Game} */ (games.find((game) => game.name === name));
  const sides = h("div");
  const board = h("div.fields");
  const draw = (/** @type {string} */ name) => {
    const game = gameOf(name);
    const choices = [
      ["any", t("play.any")],
      ["first", sideName(game.sides[0]), t("play.first")],
      ["second", sideName(game.sides[1]), t("play.second")],
    ];
    sides.replaceChildren(radioGroup("choices", "side", t("play.seat"), choices, "any", () => {}));
    board.replaceChildren(...gameOptionFields(game));
  };
  const where = [
    ["lobby", t("lobby.where.lobby"), t("lobby.where.lobby.about")],
    ["link", t("lobby.where.link"), t("lobby.where.link.about")],
  ];
  const offer = async (/** @type {Record<string, string>} */ values, /** @type {HTMLFormElement} */ form) => {
    const { game, clock, side, rated } = values;
    storage.write("game", game);
    const options = fieldOptions(new FormData(form), "option.");
    const listed = values.where === "lobby";
    const { id } = await ask("/api/lobby", { game, clock, side, options, rated: rated === "yes", listed });
    go(`/match/${id}`);
  };
  const first = initialGame(games);
  const form = submitForm(
    offer,
    h(
      "div.fields",
      field(t("play.game"), select(gameChoices(games), first, { name: "game" }, draw)),
      field(t("play.clock"), clockSelect()),
    ),
    sides,
    radioGroup("choices", "where", t("lobby.where"), where, "lobby", () => {}),
    ratedTick(),
    h("details.more", h("summary", t("play.board")), board),
    submitButton("lobby.offer.do", "button"),
  );
  draw(first);
  return card(t("lobby.offer"), form);
}

/** Returns a seat as a row. @param {Seat} seat */
function seatRow({ id, game, title, options = {}, clock, rated, side, name, rating, mine }) {
  const take = async () => (await ask(`/api/matches/${id}/seat`, {}), go(`/match/${id}`));
  const words = gameName(game, title);
  const chosen = Object.entries(options).map(([key, value]) => `${optionName(game, key)} ${optionValue(game, value)}`);
  const person = name ? h("a", { href: profileAddress(name) }, name) : t("people.guest");
  const elo = rating === undefined ? null : h("span.dim", ` ${numberText(Math.round(rating))}`);
  const facts = joinFacts(clockName(clock), t(rated ? "lobby.is-rated" : "lobby.casual"), ...chosen);
  const who = mine ? t("player.you") : (name ?? t("people.guest"));
  const label = (/** @type {string} */ key) => t(key, { game: words, name: who });
  const action = mine
    ? button(
        "offer.seat.withdraw",
        () => ask(`/api/lobby/${id}/withdraw`, {}),
        "quiet",
        t("lobby.withdraw.label", { game: words }),
      )
    : button("lobby.join", take, "button", label("lobby.join.label"));
  return h(
    "li",
    h("span.title", sideMark(side), h("strong", words)),
    h("span.other", mine ? t("player.you") : person, elo),
    h("span.dim", facts),
    mine ? h("span.row", h("a.quiet", { href: `/match/${id}` }, t("people.watch")), action) : action,
  );
}

/** @param {HTMLElement} main */
export async function show(main) {
  /** @type {[Game[], Seat[], unknown]} */
  const [games, seats] = await Promise.all([ask("/api/games"), ask("/api/lobby"), loadAssets("people")]);
  document.title = `${t("lobby.title")} · Ludus`;
  const list = h("div.rows", { "aria-live": "polite" });
  const draw = (/** @type {Seat[]} */ found) => {
    const rows = found.map(seatRow);
    list.replaceChildren(rows.length ? h("ul.played.seats", ...rows) : h("p.dim", t("lobby.empty")));
  };
  draw(seats);
  main.className = "people lobby";
  main.append(
    h("h1", t("lobby.title")),
    h("div.columns", h("div", pairingCard(games), card(t("lobby.seats"), list)), h("div", seatCard(games))),
    h("p.dim.note", t("lobby.rules")),
  );
  const source = listen("/api/lobby/events", draw);
  return () => source.close();
}
