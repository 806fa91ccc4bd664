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

/** @param {HTMLElement} main */
export async function showForm(main) {
  document.title = `${t("tournaments.new")} · Ludus`;
  /** @type {[Game[], Format[]]} */
  const [games, formats] = await Promise.all([ask("/api/games"), ask("/api/formats")]);
  const game = select(gameChoices(games), games[0].name, { name: "game" }, () => drawGame());
  const titles = formats.map(({ name }) => [name, tOr(`format.${name}`, name)]);
  const format = select(titles, "round-robin", { name: "format" }, () => drawFormat());
  const board = h("div.fields");
  const rules = h("div.fields");
  const about = h("p.dim");
  const players = h("div.ticks");
  const clock = h("div");
  /** @type {Map<string, string>} */
  const names = new Map();
  const number = { type: "number", min: 1, value: 1 };
  const form = submitForm(
    send,
    inputField(t("tournaments.name"), {
      type: "text",
      name: "name",
      required: true,
      maxlength: 80,
      autocomplete: "off",
    }),
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
      h(
        "details",
        h("summary", t("tournaments.format.more")),
        rules,
        h(
          "div.fields",
          inputField(t("tournaments.seed"), { ...number, name: "seed", min: 0 }, t("tournaments.seed.how")),
        ),
      ),
    ),
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
    ),
    submitButton("tournaments.start", "button large"),
  );
  main.append(backLink("/tournaments", t("tournaments.title")), h("h1", t("tournaments.new")), form);

  async function send() {
    const data = new FormData(form);
    const ticked = data
      .getAll("player")
      .map((text) => ({ name: names.get(String(text)) ?? String(text), player: String(text) }));
    const made = await ask("/api/tournaments", {
      name: data.get("name"),
      game: data.get("game"),
      clock: data.get("clock"),
      format: data.get("format"),
      pairs: Number(data.get("pairs") || 1),
      seed: Number(data.get("seed") || 0),
      options: fieldOptions(data, "option."),
      format_options: fieldOptions(data, "rule."),
      entries: [...ticked, ...parsePlayers(String(data.get("more") ?? ""))],
    });
    go(`/tournaments/${made.id}`);
  }

  /** Adds the uploaded bots. @param {string} chosen */
  async function addBots(chosen) {
    /** @type {{ player: string, name: string }[]} */
    const bots = await ask(`/api/opponents/${chosen}`);
    if (game.value !== chosen) return;
    for (const { player, name } of bots) names.set(player, name);
    players.append(...bots.map(({ player, name }) => playerCheckbox(player, name, true)));
  }

  /** @param {string} text @param {string} name @param {boolean} checked */
  function playerCheckbox(text, name, checked) {
    return h("label.tick", h("input", { type: "checkbox", name: "player", value: text, checked }), name);
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
    const valueName = (/** @type {string} */ value) => tOr(`choice.${value}`, value);
    rules.replaceChildren(
      ...chosen.options.map((option) =>
        optionField(option, tOr(`rule.${option.name}`, option.name), `rule.${option.name}`, valueName),
      ),
    );
  }

  drawGame();
  drawFormat();
}
