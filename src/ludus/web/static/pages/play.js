// The form for a new match: game, opponent, side, clock and board. Knows games only by their data.

import { ask, gameKey, gameName, go, h, initialGame, playerName, sideName, storage, t, tOr } from "../page.js";
import { field, radioGroup, select, submitButton, submitForm } from "../components.js";
import { clockField, fieldOptions, gameOptionFields } from "../setup.js";

/** @typedef {import("../page.js").Game} Game */
/** @typedef {{ player: string, name: string }} Opponent */

const CLOCKS = ["none", "3/move", "10/move", "60+1", "300", "600+5"];
const OPPONENTS = ["engine", "here", "link", "player"];

/** The form: when the game or the opponent changes, the parts that depend on it are drawn again. */
class MatchForm {
  /** @param {Game[]} games */
  constructor(games) {
    const asked = new URLSearchParams(location.search); // /play?game=NAME&opponent=here, or &player=TEXT
    this.games = games;
    this.gameName = initialGame(games, asked.get("game"));
    this.opponent = asked.get("opponent") ?? (asked.has("player") ? "player" : "engine");
    this.player = asked.get("player") ?? "";
    this.level = Number(storage.read("level") ?? 3);
    /** The uploaded bots of each game. @type {Record<string, Opponent[]>} */
    this.bots = {};
    this.opponentPlace = h("div");
    this.seatPlace = h("div");
    this.clockPlace = h("div");
    this.board = h("div.fields");
    this.element = submitForm(
      () => this.start(),
      radioGroup(
        "choices",
        "game",
        t("play.game"),
        games.map(({ name, title }) => [name, gameName(name, title), tOr(gameKey(name, "short"), "")]),
        this.gameName,
        (name) => ((this.gameName = name), this.drawGame()),
      ),
      h(
        "div.group",
        radioGroup(
          "choices",
          "opponent",
          t("play.opponent"),
          OPPONENTS.map((name) => [name, t(`play.${name}`)]),
          this.opponent,
          (name) => ((this.opponent = name), this.drawOpponent()),
        ),
        this.opponentPlace,
      ),
      this.seatPlace,
      h("div.pair", this.clockPlace, h("details.more", h("summary", t("play.board")), this.board)),
      submitButton("play.start", "button large"),
    );
    this.drawGame();
  }

  get game() {
    return /** @type {Game} */ (this.games.find(({ name }) => name === this.gameName));
  }

  /** Draws what depends on the game. */
  drawGame() {
    const { game } = this;
    const seat = String(new FormData(this.element).get("seat") ?? "first");
    const seats = /** @type {[string, string, string?][]} */ ([
      ["first", sideName(game.sides[0]), t("play.first")],
      ["second", sideName(game.sides[1]), t("play.second")],
      ["any", t("play.any")],
    ]);
    this.seatPlace.replaceChildren(radioGroup("choices", "seat", t("play.seat"), seats, seat, () => {}));
    this.clockPlace.replaceChildren(clockField(CLOCKS, game));
    this.board.replaceChildren(...gameOptionFields(game));
    this.drawOpponent();
    this.loadBots(game.name);
  }

  /** @param {string} game */
  async loadBots(game) {
    this.bots[game] ??= await ask(`/api/opponents/${game}`).catch(() => []);
    if (game === this.gameName && this.opponent === "player") this.drawOpponent();
  }

  /** Draws the details of the opponent. */
  drawOpponent() {
    const parts = {
      engine: () => this.levelSlider(),
      player: () => this.playerField(),
      link: () => h("p.dim", t("play.link.how")),
    };
    const part = parts[/** @type {keyof typeof parts} */ (this.opponent)];
    this.opponentPlace.replaceChildren(...(part ? [part()] : []));
  }

  levelSlider() {
    const words = h("output");
    const show = () => {
      this.level = Number(slider.value);
      words.textContent = t("play.level", { n: this.level, word: t(`level.${this.level}`) });
    };
    const settings = { type: "range", min: 1, max: 10, value: this.level, name: "level", input: () => show() };
    const slider = h("input", { ...settings, "aria-label": t("play.strength") });
    show();
    return h("div.level", slider, words);
  }

  playerField() {
    const players = this.game.players.filter((text) => !text.startsWith("engine:"));
    /** @type {[string, string][]} */
    const choices = [
      ...(this.bots[this.gameName] ?? []).map(({ player, name }) => /** @type {[string, string]} */ ([player, name])),
      ...players.map((text) => /** @type {[string, string]} */ ([text, playerName(text)])),
    ];
    return field(
      t("play.player"),
      select(choices, this.player, { name: "player" }, (text) => (this.player = text)),
    );
  }

  async start() {
    const data = new FormData(this.element);
    const opponents = { engine: `engine:level=${this.level}`, link: "open", player: String(data.get("player")) };
    const theirs = opponents[/** @type {keyof typeof opponents} */ (this.opponent)] ?? "human";
    const seat = data.get("seat");
    const first = seat === "any" ? Math.random() < 0.5 : seat === "first";
    const match = await ask("/api/matches", {
      game: this.gameName,
      options: fieldOptions(data, "option."),
      seats: first ? ["human", theirs] : [theirs, "human"],
      clock: data.get("clock"),
    });
    storage.write("game", this.gameName);
    storage.write("level", String(this.level));
    go(`/match/${match.id}`);
  }
}

/** @param {HTMLElement} main */
export async function show(main) {
  document.title = `${t("play.title")} · Ludus`;
  const form = new MatchForm(await ask("/api/games"));
  main.className = "setup";
  main.append(h("h1", t("play.title")), form.element);
}
