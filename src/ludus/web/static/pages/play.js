// The form for a new match: game, opponent, side, clock and board. Knows games only by their data.

import {
  ask,
  gameKey,
  gameName,
  go,
  h,
  initialGame,
  lastLevel,
  playerName,
  say,
  sideName,
  storage,
  t,
  tOr,
} from "../page.js";
import { fetchLesson, goalText, lessonSteps } from "../lesson.js";
import { field, radioGroup, select, submitButton, submitForm } from "../components.js";
import { clockField, fieldOptions, gameOptionFields } from "../setup.js";

/** @import { Game } from "../page.js" */
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
    this.level = 1;
    /** The uploaded bots of each game. @type {Record<string, Opponent[]>} */
    this.bots = {};
    this.lesson = h("section.how");
    /** Ends the boards of the lesson that is shown. */
    this.lessonOver = new AbortController();
    this.opponentPlace = h("div");
    this.seatPlace = h("div");
    this.clockPlace = h("div");
    this.board = h("div.fields");
    const titles = games.map(({ name, title }) => [name, gameName(name, title), tOr(gameKey(name, "short"), "")]);
    const opponents = OPPONENTS.map((name) => [name, t(`play.${name}`)]);
    const chooseGame = (/** @type {string} */ name) => ((this.gameName = name), this.drawGame());
    const chooseOpponent = (/** @type {string} */ name) => ((this.opponent = name), this.drawOpponent());
    this.element = submitForm(
      () => this.start(),
      radioGroup("choices", "game", t("play.game"), titles, this.gameName, chooseGame),
      this.lesson,
      h(
        "div.group",
        radioGroup("choices", "opponent", t("play.opponent"), opponents, this.opponent, chooseOpponent),
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
    this.level = lastLevel(game.name);
    const seat = String(new FormData(this.element).get("seat") ?? "first");
    const seats = [
      ["first", sideName(game.sides[0]), t("play.first")],
      ["second", sideName(game.sides[1]), t("play.second")],
      ["any", t("play.any")],
    ];
    this.seatPlace.replaceChildren(radioGroup("choices", "seat", t("play.seat"), seats, seat, () => {}));
    this.clockPlace.replaceChildren(clockField(CLOCKS, game));
    this.board.replaceChildren(...gameOptionFields(game));
    this.drawOpponent();
    this.loadBots(game.name);
    this.drawLesson(game.name);
  }

  /** Shows how to play the game. @param {string} game */
  async drawLesson(game) {
    this.leave();
    const over = (this.lessonOver = new AbortController()).signal;
    const [lesson, steps] = await Promise.all([fetchLesson(game), lessonSteps(game, over)]);
    if (over.aborted) return;
    this.lesson.hidden = !steps;
    this.lesson.replaceChildren(h("h2", t("lesson.title")), h("p.dim", goalText(lesson)), ...(steps ? [steps] : []));
  }

  leave() {
    this.lessonOver.abort();
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
    const about = h("small.dim", { title: t("level.elo.about") });
    const show = () => {
      this.level = Number(slider.value);
      const { elo, sees } = this.game.levels[this.level - 1];
      words.textContent = t("play.level", { n: this.level, word: t(`level.${this.level}`) });
      about.textContent = elo === undefined ? say(sees) : t("level.about", { elo, sees });
    };
    const settings = { type: "range", min: 1, max: 10, value: this.level, name: "level", input: () => show() };
    const slider = h("input", { ...settings, "aria-label": t("play.strength") });
    show();
    return h("div.level", slider, words, about);
  }

  playerField() {
    const players = this.game.players.filter((text) => !text.startsWith("engine:"));
    const bots = (this.bots[this.gameName] ?? []).map(({ player, name }) => [player, name]);
    const choices = [...bots, ...players.map((text) => [text, playerName(text)])];
    const control = select(choices, this.player, { name: "player" }, (text) => (this.player = text));
    return field(t("play.player"), control);
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
    go(`/match/${match.id}`);
  }
}

/** @param {HTMLElement} main */
export async function show(main) {
  document.title = `${t("play.title")} · Ludus`;
  const form = new MatchForm(await ask("/api/games"));
  main.className = "setup";
  main.append(h("h1", t("play.title")), form.element);
  return () => form.leave();
}
