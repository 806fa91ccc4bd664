// The form for a new match: game, opponent, side, clock and board. Knows games only by their data.

import {
  ask,
  FIRST_GAME,
  gameKey,
  gameName,
  go,
  h,
  handler,
  optionName,
  optionValue,
  playerName,
  sideName,
  storage,
  t,
  tOr,
} from "../page.js";
import { select } from "../components.js";

/** @typedef {import("../page.js").Game} Game */
/** @typedef {import("../page.js").Option} Option */

const CLOCKS = ["none", "3/move", "10/move", "60+1", "300", "600+5"];

/**
 * Returns a group of radio buttons.
 * @param {string} name @param {string} legend @param {[string, string, string?][]} choices value, words, more words
 * @param {string} chosen @param {(value: string) => void} changed
 */
function radioGroup(name, legend, choices, chosen, changed) {
  return h(
    "fieldset.choices",
    h("legend", legend),
    h(
      "div.options",
      ...choices.map(([value, words, more]) =>
        h(
          "label.choice",
          h("input", { type: "radio", name, value, checked: value === chosen, change: () => changed(value) }),
          h("span", h("strong", words), more && h("small", more)),
        ),
      ),
    ),
  );
}

/** Returns the initial choice from the address: `/play?game=cantris&opponent=here`. */
function initialChoice() {
  const asked = new URLSearchParams(location.search);
  return {
    game: asked.get("game") ?? storage.read("game") ?? FIRST_GAME,
    level: Number(storage.read("level") ?? 3),
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
  const choice = initialChoice();
  if (!games.some(({ name }) => name === choice.game)) choice.game = games[0].name;
  /** The uploaded bots of each game. @type {Record<string, { player: string, name: string }[]>} */
  const bots = {};
  const loadBots = async (/** @type {string} */ game) =>
    (bots[game] ??= await ask(`/api/opponents/${game}`).catch(() => []));
  await loadBots(choice.game);
  main.className = "setup";
  const form = h("form", { submit: (/** @type {Event} */ event) => (event.preventDefault(), start()) });
  main.append(h("h1", t("play.title")), form);

  const start = handler(async () => {
    const theirs =
      { engine: `engine:level=${choice.level}`, here: "human", link: "open", player: choice.player }[choice.opponent] ??
      "human";
    const seat = choice.seat === "any" ? (Math.random() < 0.5 ? "first" : "second") : choice.seat;
    const options = Object.fromEntries(Object.entries(choice.options).filter(([, value]) => value !== ""));
    const match = await ask("/api/matches", {
      game: choice.game,
      options,
      seats: seat === "first" ? ["human", theirs] : [theirs, "human"],
      clock: choice.clock,
    });
    storage.write("game", choice.game);
    storage.write("level", String(choice.level));
    go(`/match/${match.id}`);
  });

  function draw() {
    const game = /** @type {Game} */ (games.find(({ name }) => name === choice.game));
    const opponents = [
      ...(bots[choice.game] ?? []),
      ...game.players
        .filter((text) => !text.startsWith("engine:"))
        .map((text) => ({ player: text, name: playerName(text) })),
    ];
    if (!opponents.some(({ player }) => player === choice.player)) choice.player = opponents[0]?.player ?? "";
    const held =
      document.activeElement instanceof HTMLInputElement
        ? [document.activeElement.name, document.activeElement.value]
        : null;
    form.replaceChildren(
      radioGroup(
        "game",
        t("play.game"),
        games.map(({ name, title }) => [name, gameName(name, title), tOr(gameKey(name, "short"), "")]),
        choice.game,
        (value) => ((choice.game = value), (choice.options = {}), draw(), loadBots(value).then(draw)),
      ),
      h(
        "div.group",
        radioGroup(
          "opponent",
          t("play.opponent"),
          [
            ["engine", t("play.engine")],
            ["here", t("play.here")],
            ["link", t("play.link")],
            ["player", t("play.player")],
          ],
          choice.opponent,
          (value) => ((choice.opponent = value), draw()),
        ),
        choice.opponent === "engine" && level(),
        choice.opponent === "player" &&
          h(
            "label.field",
            t("play.player"),
            selectField(
              opponents.map(({ player, name }) => [player, name]),
              choice.player,
              (value) => (choice.player = value),
            ),
          ),
        choice.opponent === "link" && h("p.dim", t("play.link.how")),
      ),
      radioGroup(
        "seat",
        t("play.seat"),
        [
          ["first", sideName(game.sides[0]), t("play.first")],
          ["second", sideName(game.sides[1]), t("play.second")],
          ["any", t("play.any")],
        ],
        choice.seat,
        (value) => (choice.seat = value),
      ),
      h(
        "div.pair",
        h(
          "label.field",
          t("play.clock"),
          selectField(
            [...new Set([...CLOCKS, game.clock])].map((text) => [text, clockName(text)]),
            choice.clock,
            (value) => (choice.clock = value),
          ),
        ),
        h(
          "details.more",
          { open: Object.keys(choice.options).length > 0 },
          h("summary", t("play.board")),
          h("div.fields", ...game.options.map((option) => field(option))),
        ),
      ),
      h("button.button.large", { type: "submit" }, t("play.start")),
    );
    if (held)
      /** @type {HTMLElement | null} */ (form.querySelector(`[name="${held[0]}"][value="${held[1]}"]`))?.focus();
  }

  function level() {
    const words = h("output", t("play.level", { n: choice.level, word: t(`level.${choice.level}`) }));
    const slider = h("input", {
      type: "range",
      min: 1,
      max: 10,
      value: choice.level,
      name: "level",
      "aria-label": t("play.strength"),
      input: () => {
        choice.level = Number(/** @type {HTMLInputElement} */ (slider).value);
        words.textContent = t("play.level", { n: choice.level, word: t(`level.${choice.level}`) });
      },
    });
    return h("div.level", slider, words);
  }

  /** @param {[string, string][]} choices @param {string} chosen @param {(value: string) => void} changed */
  function selectField(choices, chosen, changed) {
    const change = (/** @type {Event} */ event) => changed(/** @type {HTMLSelectElement} */ (event.target).value);
    return select(choices, chosen, { change });
  }

  /** @param {Option} option */
  function field(option) {
    const name = optionName(choice.game, option.name);
    const changed = (/** @type {string} */ value) => (choice.options[option.name] = value);
    if (option.choices)
      return h(
        "label.field",
        name,
        selectField(
          option.choices.map((value) => [value, optionValue(choice.game, value)]),
          choice.options[option.name] ?? String(option.default),
          changed,
        ),
      );
    return h(
      "label.field",
      name,
      h("input", {
        type: "number",
        min: option.low,
        max: option.high,
        placeholder: option.default ?? t("play.auto"),
        value: choice.options[option.name] ?? "",
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
