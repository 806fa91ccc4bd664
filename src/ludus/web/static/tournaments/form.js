// The form for a new tournament: game, players, format. The server names the choices.

import { ask, go, h, playerName, t, tOr } from "../page.js";
import { backLink, field, gameChoices, inputField, select, submitButton, submitForm } from "../components.js";
import { clockField, fieldOptions, gameOptionFields, optionField } from "../setup.js";

/** @import { Game, Option } from "../page.js" */
/** @typedef {{ name: string, options: Option[] }} Format */

const CLOCKS = ["none", "0.1/move", "1/move", "3/move", "10/move", "60+1", "300"];
const USUAL = /^(engine:level=[1-4]|greedy|random)$/;

/** Returns the players in a text with one per line: `name = player`, or only a player. @param {string} text */
function parsePlayers(text) {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const at = line.indexOf("=");
      const [name, player] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      return at > 0 && name && player && !name.includes(":") ? { name, player } : { name: line, player: line };
    });
}

/**
 * Returns what a form asks for.
 * @param {FormData} data @param {Map<string, string>} names of the uploaded bots
 */
function requested(data, names) {
  const ticked = data.getAll("player").map(String);
  return {
    name: data.get("name"),
    game: data.get("game"),
    clock: data.get("clock"),
    format: data.get("format"),
    pairs: Number(data.get("pairs") || 1),
    seed: Number(data.get("seed") || 0),
    options: fieldOptions(data, "option."),
    format_options: fieldOptions(data, "rule."),
    entries: [
      ...ticked.map((player) => ({ name: names.get(player) ?? player, player })),
      ...parsePlayers(String(data.get("more") ?? "")),
    ],
  };
}

/** @param {string} value @param {string} name @param {boolean} checked */
const playerCheckbox = (value, name, checked) =>
  h("label.tick", h("input", { type: "checkbox", name: "player", value, checked }), name);

/** Returns the fields for the options of a format. @param {Format} format */
const ruleFields = ({ options }) =>
  options.map((option) =>
    optionField(option, tOr(`rule.${option.name}`, option.name), `rule.${option.name}`, (value) =>
      tOr(`choice.${value}`, value),
    ),
  );

/** Returns the players to tick, and a text for others. @param {HTMLElement} players */
const entrySection = (players) =>
  h(
    "fieldset",
    h("legend", t("tournaments.entries")),
    players,
    h(
      "details",
      h("summary", t("tournaments.more")),
      field(
        t("tournaments.more.label"),
        h("textarea", { name: "more", rows: 4, placeholder: "mcts:playouts=500\nDeep = alphabeta:depth=6" }),
        t("tournaments.more.how"),
      ),
    ),
  );

/** @param {HTMLElement} main */
export async function showForm(main) {
  document.title = `${t("tournaments.new")} · Ludus`;
  /** @type {[Game[], Format[]]} */
  const [games, formats] = await Promise.all([ask("/api/games"), ask("/api/formats")]);
  const game = select(gameChoices(games), games[0].name, { name: "game" }, () => drawGame());
  const titles = formats.map(({ name }) => [name, tOr(`format.${name}`, name)]);
  const format = select(titles, "round-robin", { name: "format" }, () => drawFormat());
  const [board, rules, players, clock] = [h("div.fields"), h("div.fields"), h("div.ticks"), h("div")];
  const about = h("p.dim");
  /** @type {Map<string, string>} */
  const names = new Map();
  const text = { type: "text", required: true, maxlength: 80, autocomplete: "off" };
  const number = { type: "number", min: 1, value: 1 };
  const seed = inputField(t("tournaments.seed"), { ...number, name: "seed", min: 0 }, t("tournaments.seed.how"));
  const form = submitForm(
    async () => go(`/tournaments/${(await ask("/api/tournaments", requested(new FormData(form), names))).id}`),
    inputField(t("tournaments.name"), { ...text, name: "name" }),
    h(
      "div.fields",
      field(t("play.game"), game),
      clock,
      inputField(t("tournaments.pairs"), { ...number, name: "pairs", max: 100 }, t("tournaments.pairs.how")),
    ),
    h("details", h("summary", t("play.board")), board),
    h(
      "div",
      field(t("tournaments.format"), format),
      about,
      h("details", h("summary", t("tournaments.format.more")), rules, h("div.fields", seed)),
    ),
    entrySection(players),
    submitButton("tournaments.start", "button large"),
  );
  main.append(backLink("/tournaments", t("tournaments.title")), h("h1", t("tournaments.new")), form);

  /** Adds the uploaded bots. @param {string} chosen */
  async function addBots(chosen) {
    /** @type {{ player: string, name: string }[]} */
    const bots = await ask(`/api/opponents/${chosen}`);
    if (game.value !== chosen) return;
    for (const { player, name } of bots) names.set(player, name);
    players.append(...bots.map(({ player, name }) => playerCheckbox(player, name, true)));
  }

  function drawGame() {
    const chosen = /** @type {Game} */ (games.find(({ name }) => name === game.value));
    board.replaceChildren(...gameOptionFields(chosen));
    players.replaceChildren(...chosen.players.map((text) => playerCheckbox(text, playerName(text), USUAL.test(text))));
    addBots(chosen.name).catch(() => {}); // the built-in players are enough
    clock.replaceChildren(clockField(CLOCKS, chosen));
  }

  function drawFormat() {
    const chosen = /** @type {Format} */ (formats.find(({ name }) => name === format.value));
    about.textContent = tOr(`format.${chosen.name}.about`, "");
    rules.replaceChildren(...ruleFields(chosen));
  }

  drawGame();
  drawFormat();
}
