// What to play: game, opponent, seat, clock and board, then one button. Knows the games by what the server says of
// them.

import { ask, gameName, go, h, kept, playerName, sideName, t, tOr, trying } from "../page.js";

/** @typedef {import("../page.js").Game} Game */
/** @typedef {import("../page.js").Option} Option */

const CLOCKS = ["none", "3/move", "10/move", "60+1", "300", "600+5"];

/**
 * Some choices of which one is taken.
 * @param {string} name @param {string} legend @param {[string, string, string?][]} choices value, words, more words
 * @param {string} chosen @param {(value: string) => void} changed
 */
function radios(name, legend, choices, chosen, changed) {
  return h(
    "fieldset",
    { class: "choices" },
    h("legend", {}, legend),
    h(
      "div",
      { class: "options" },
      ...choices.map(([value, words, more]) =>
        h(
          "label",
          { class: "choice" },
          h("input", { type: "radio", name, value, checked: value === chosen, change: () => changed(value) }),
          h("span", {}, h("strong", {}, words), more && h("small", {}, more)),
        ),
      ),
    ),
  );
}

/** The address of the page as a wish: `/play?game=cantris&opponent=here`. */
function wished() {
  const asked = new URLSearchParams(location.search);
  return {
    game: asked.get("game") ?? kept.read("game") ?? "chain-reaction",
    level: Number(kept.read("level") ?? 3),
    opponent: asked.get("opponent") ?? (asked.get("player") ? "player" : "engine"),
    seat: "first",
    clock: "none",
    player: asked.get("player") ?? "",
    options: /** @type {Record<string, string>} */ ({}),
  };
}

/** @param {HTMLElement} main */
export async function show(main) {
  document.title = `${t("play.title")} · Ludus`;
  /** @type {Game[]} */
  const games = await ask("/api/games");
  const wish = wished();
  if (!games.some(({ name }) => name === wish.game)) wish.game = games[0].name;
  /** The bots that people have handed in, by game. @type {Record<string, { player: string, name: string }[]>} */
  const bots = {};
  const meet = async (/** @type {string} */ game) =>
    (bots[game] ??= await ask(`/api/opponents/${game}`).catch(() => []));
  await meet(wish.game);
  main.className = "setup";
  const form = h("form", { submit: (/** @type {Event} */ event) => (event.preventDefault(), start()) });
  main.append(h("h1", {}, t("play.title")), form);

  const start = trying(async () => {
    const theirs =
      { engine: `engine:level=${wish.level}`, here: "human", link: "open", player: wish.player }[wish.opponent] ??
      "human";
    const seat = wish.seat === "any" ? (Math.random() < 0.5 ? "first" : "second") : wish.seat;
    const options = Object.fromEntries(Object.entries(wish.options).filter(([, value]) => value !== ""));
    const match = await ask("/api/matches", {
      game: wish.game,
      options,
      seats: seat === "first" ? ["human", theirs] : [theirs, "human"],
      clock: wish.clock,
    });
    kept.write("game", wish.game);
    kept.write("level", String(wish.level));
    go(`/match/${match.id}`);
  });

  function draw() {
    const game = /** @type {Game} */ (games.find(({ name }) => name === wish.game));
    const named = [
      ...(bots[wish.game] ?? []),
      ...game.players
        .filter((text) => !text.startsWith("engine:"))
        .map((text) => ({ player: text, name: playerName(text) })),
    ];
    if (!named.some(({ player }) => player === wish.player)) wish.player = named[0]?.player ?? "";
    const held =
      document.activeElement instanceof HTMLInputElement
        ? [document.activeElement.name, document.activeElement.value]
        : null;
    form.replaceChildren(
      radios(
        "game",
        t("play.game"),
        games.map(({ name, title }) => [name, gameName(name, title), tOr(`short.${name}`, "")]),
        wish.game,
        (value) => ((wish.game = value), (wish.options = {}), draw(), meet(value).then(draw)),
      ),
      h(
        "div",
        { class: "group" },
        radios(
          "opponent",
          t("play.opponent"),
          [
            ["engine", t("play.engine")],
            ["here", t("play.here")],
            ["link", t("play.link")],
            ["player", t("play.player")],
          ],
          wish.opponent,
          (value) => ((wish.opponent = value), draw()),
        ),
        wish.opponent === "engine" && level(),
        wish.opponent === "player" &&
          h(
            "label",
            { class: "field" },
            t("play.player"),
            select(
              named.map(({ player, name }) => [player, name]),
              wish.player,
              (value) => (wish.player = value),
            ),
          ),
        wish.opponent === "link" && h("p", { class: "dim" }, t("play.link.how")),
      ),
      radios(
        "seat",
        t("play.seat"),
        [
          ["first", sideName(game.sides[0]), t("play.first")],
          ["second", sideName(game.sides[1]), t("play.second")],
          ["any", t("play.any")],
        ],
        wish.seat,
        (value) => (wish.seat = value),
      ),
      h(
        "div",
        { class: "pair" },
        h(
          "label",
          { class: "field" },
          t("play.clock"),
          select(
            [...new Set([...CLOCKS, game.clock])].map((text) => [text, clockName(text)]),
            wish.clock,
            (value) => (wish.clock = value),
          ),
        ),
        h(
          "details",
          { class: "more", open: Object.keys(wish.options).length > 0 },
          h("summary", {}, t("play.board")),
          h("div", { class: "fields" }, ...game.options.map((option) => field(option))),
        ),
      ),
      h("button", { class: "button large", type: "submit" }, t("play.start")),
    );
    if (held)
      /** @type {HTMLElement | null} */ (form.querySelector(`[name="${held[0]}"][value="${held[1]}"]`))?.focus();
  }

  function level() {
    const words = h("output", {}, t("play.level", { n: wish.level, word: t(`level.${wish.level}`) }));
    const slider = h("input", {
      type: "range",
      min: 1,
      max: 10,
      value: wish.level,
      name: "level",
      "aria-label": t("play.strength"),
      input: () => {
        wish.level = Number(/** @type {HTMLInputElement} */ (slider).value);
        words.textContent = t("play.level", { n: wish.level, word: t(`level.${wish.level}`) });
      },
    });
    return h("div", { class: "level" }, slider, words);
  }

  /** @param {[string, string][]} choices @param {string} chosen @param {(value: string) => void} changed */
  function select(choices, chosen, changed) {
    return h(
      "select",
      { change: (/** @type {Event} */ event) => changed(/** @type {HTMLSelectElement} */ (event.target).value) },
      ...choices.map(([value, words]) => h("option", { value, selected: value === chosen }, words)),
    );
  }

  /** @param {Option} option */
  function field(option) {
    const name = tOr(`option.${option.name}`, option.name);
    const changed = (/** @type {string} */ value) => (wish.options[option.name] = value);
    if (option.choices)
      return h(
        "label",
        { class: "field" },
        name,
        select(
          option.choices.map((value) => [value, tOr(`choice.${value}`, value)]),
          wish.options[option.name] ?? String(option.default),
          changed,
        ),
      );
    return h(
      "label",
      { class: "field" },
      name,
      h("input", {
        type: "number",
        min: option.low,
        max: option.high,
        placeholder: option.default ?? t("play.auto"),
        value: wish.options[option.name] ?? "",
        input: (/** @type {Event} */ event) => changed(/** @type {HTMLInputElement} */ (event.target).value),
      }),
    );
  }
  draw();
}

/** @param {string} text */
export function clockName(text) {
  if (text === "none") return t("clock.none");
  const a = /^([\d.]+)\/move$/.exec(text);
  if (a) return t("clock.move", { n: a[1] });
  const b = /^([\d.]+)(?:\+([\d.]+))?$/.exec(text);
  if (!b) return text;
  const bank = Number(b[1]) % 60 === 0 ? t("clock.minutes", { n: Number(b[1]) / 60 }) : t("clock.seconds", { n: b[1] });
  return b[2] ? t("clock.increment", { bank, n: b[2] }) : bank;
}
