// Analysis: a position or a whole game, what the engine thinks of it, and what could have been played instead.
// Brings the parts of ../analysis together around one board. Knows no rules: positions and moves come from the server.

import { Board, lookOf } from "../board.js";
import { Editor } from "../analysis/editor.js";
import { bring, takeAway } from "../analysis/files.js";
import { Lesson } from "../analysis/learn.js";
import { Lines } from "../analysis/lines.js";
import { ReviewPanel } from "../analysis/review.js";
import { Thinker, query } from "../analysis/thinker.js";
import { Bar, ended, forMover, worthOf } from "../analysis/worth.js";
import { ask, dress, gameName, go, h, personName, say, sideMark, sideName, sign, t, trying } from "../page.js";
import { translated } from "../said.js";
import { effects } from "./match.js";

/** @typedef {import("../page.js").Game} Game */
/** @typedef {import("../page.js").Move} Move */
/** @typedef {import("../page.js").Ply} Ply */
/** @typedef {import("../page.js").Position} Position */
/** @typedef {import("../analysis/editor.js").Study} Study */
/** @typedef {import("../analysis/thinker.js").Thought} Thought */
/**
 * A place on the way: the position text, and the move that led to it.
 * @typedef {{ text: string, ply: Ply | null }} Stop
 */
/**
 * @typedef {{ id: string, seats: import("./match.js").View["seats"], outcome: import("../page.js").Outcome | undefined,
 *   stops: Stop[] }} Played
 */

const LINES = 3;
const PEEK_MS = 420;

/**
 * Fills a place anew; who was at its second button by keys is there again.
 * @param {HTMLElement} place @param {...(Node | string)} children
 */
function refill(place, ...children) {
  const all = () => /** @type {HTMLElement[]} */ ([...place.querySelectorAll("button, a")]);
  const at = all().indexOf(/** @type {HTMLElement} */ (document.activeElement));
  place.replaceChildren(...children);
  if (at >= 0) (all()[at] ?? all().at(-1))?.focus();
  return at >= 0 && all().length === 0;
}

class AnalysisPage {
  /**
   * @param {HTMLElement} main @param {Study} study of the start @param {import("../board.js").Look} look
   * @param {Game[]} games @param {Played | null} played @param {number} at
   */
  constructor(main, study, look, games, played, at) {
    this.study = study;
    this.frame = study.frame;
    this.options = study.options ?? "";
    this.played = played;
    /**
     * The stops that one can step through: the game, or the way up to here and on from where one left it.
     * @type {Stop[]}
     */
    this.trail = played ? played.stops : [{ text: study.start.text, ply: null }];
    /** The ply at which the game was left. @type {number | null} */
    this.branch = null;
    this.at = Math.max(0, Math.min(this.trail.length - 1, at));
    /** @type {Position | null} */
    this.position = null;
    /** @type {Thought | null} */
    this.thought = null;
    /** What was asked of the server of late. @type {Map<string, Promise<Study>>} */
    this.asked = new Map();
    this.flipped = false;
    this.journey = 0;
    this.peeking = 0;
    /** @type {Promise<void>} */
    this.playing = Promise.resolve();
    /** @type {Editor | null} */
    this.editor = null;
    /** @type {Lesson | null} */
    this.lesson = null;
    const name = gameName(this.frame.game, this.frame.title);
    document.title = `${t("analysis.title")}: ${name} · Ludus`;
    this.board = new Board(this.frame, look, {
      label: t("board.label", { game: name }),
      chosen: (move) => this.choose(move),
    });
    this.bar = new Bar();
    this.lines = new Lines(LINES, {
      peek: (moves, from) => this.peek(moves, from),
      leave: () => this.unpeek(),
      play: (moves) => trying(() => this.follow(moves))(),
    });
    this.thinker = new Thinker((thought) => this.take(thought));
    this.review =
      played && played.stops.length > 1
        ? new ReviewPanel(
            played.id,
            this.frame,
            played.stops.slice(1).map(({ ply }) => /** @type {Ply} */ (ply)),
            played.outcome,
            { jump: (ply) => this.revisit(ply), learn: (side, tasks) => this.learn(side, tasks) },
          )
        : null;
    this.bars = [0, 1].map((side) => h("div", { class: `player side${side}` }));
    this.top = h("div", { class: "seat" });
    this.bottom = h("div", { class: "seat" });
    const column = h("div", {}, this.top, this.board.element, this.bottom);
    column.style.setProperty("--ratio", this.board.element.style.getPropertyValue("--ratio"));
    this.boarded = h("div", { class: "boarded" }, this.bar.element, column);
    this.headline = h("p", { class: "headline", role: "status" });
    this.aside = h("div", { class: "aside" });
    this.steps = h(
      "div",
      { class: "steps", role: "group", "aria-label": t("match.replay") },
      this.step("first", "match.first", () => this.jump(0)),
      this.step("back", "match.back", () => this.jump(this.at - 1)),
      this.step("next", "match.next", () => this.forward()),
      this.step("last", "match.last", () => this.jump(this.trail.length - 1)),
    );
    this.tools = h("div", { class: "actions tools" });
    this.special = h("div", { class: "special", hidden: true });
    this.usual = h(
      "div",
      { class: "usual" },
      h("section", { class: "thinking", "aria-label": t("lines.label") }, this.headline, this.lines.element),
      this.aside,
      this.steps,
      this.review?.element ?? "",
      this.tools,
    );
    /** @type {import("../analysis/worth.js").Worth | null} */
    this.lastWorth = null;
    this.build(main, name, games);
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.jump(this.at);
  }

  /** @param {HTMLElement} main @param {string} name @param {Game[]} games */
  build(main, name, games) {
    main.className = "match analysis";
    main.append(
      h("h1", { class: "unseen" }, `${t("analysis.title")}: ${name}`),
      h("section", { class: "table", "aria-label": name }, this.boarded),
      h("aside", { class: "panel" }, this.head(name, games), this.special, this.usual),
    );
  }

  /** What is analysed; without a game another one can be chosen. @param {string} name @param {Game[]} games */
  head(name, games) {
    if (this.played)
      return h(
        "div",
        { class: "what" },
        h("strong", {}, name),
        h("a", { class: "link", href: `/match/${this.played.id}` }, t("analysis.watch")),
      );
    const own = games.find((game) => game.name === this.frame.game);
    const select = (/** @type {string} */ label, /** @type {[string, string, boolean][]} */ choices) =>
      h(
        "select",
        {
          "aria-label": label,
          change: (/** @type {Event} */ event) => go(/** @type {HTMLSelectElement} */ (event.target).value),
        },
        ...choices.map(([value, words, selected]) => h("option", { value, selected }, words)),
      );
    const size = (/** @type {Record<string, number | string>} */ board) =>
      Object.entries(board)
        .map(([key, value]) => `${key}=${value}`)
        .join(" ");
    const boards = (own?.boards ?? []).filter((board) => Object.keys(board).length);
    return h(
      "div",
      { class: "chosen" },
      select(
        t("play.game"),
        games.map((game) => [
          `/analysis?game=${game.name}`,
          gameName(game.name, game.title),
          game.name === this.frame.game,
        ]),
      ),
      boards.length > 1 &&
        select(t("play.board"), [
          [location.pathname + location.search, `${this.frame.rows}×${this.frame.cols}`, true],
          ...boards.map(
            (board) =>
              /** @type {[string, string, boolean]} */ ([
                `/analysis?${new URLSearchParams({ game: this.frame.game, options: size(board) })}`,
                Object.values(board).join(" · "),
                false,
              ]),
          ),
        ]),
      this.study.start.scores &&
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            click: () => {
              const seed = String(Math.floor(Math.random() * 1e6));
              go(`/analysis?${new URLSearchParams({ game: this.frame.game, options: this.options, seed })}`);
            },
          },
          t("analysis.shuffle"),
        ),
    );
  }

  /** @param {"first" | "back" | "next" | "last"} name @param {string} key @param {() => void} work */
  step(name, key, work) {
    return h(
      "button",
      { type: "button", class: "quiet", "aria-label": t(key), title: t(key), click: work },
      sign(name),
    );
  }

  leave() {
    this.thinker.stop();
    this.review?.leave();
    document.removeEventListener("keydown", this.keys);
  }

  /** @returns {import("../analysis/thinker.js").Place} */
  get place() {
    return { game: this.frame.game, options: this.options, text: this.trail[this.at].text };
  }

  /** Asks for a position and what some moves from it do. @param {string[]} [moves] @returns {Promise<Study>} */
  studied(moves = []) {
    const asked = query(this.place, moves);
    const known = this.asked.get(asked) ?? ask(`/api/positions?${asked}`);
    if (this.asked.size > 300) this.asked.clear();
    this.asked.set(asked, known);
    known.catch(() => this.asked.delete(asked));
    return known;
  }

  /** @param {number} at */
  boardAt(at) {
    for (let stop = at; stop > 0; stop--) {
      const steps = this.trail[stop].ply?.steps ?? [];
      if (steps.length) return steps[steps.length - 1].board;
    }
    return this.study.start.board;
  }

  /** Goes to a ply of the game at once, from a side line too: what was tried there ends. @param {number} ply */
  revisit(ply) {
    if (this.branch !== null) this.rejoin();
    return this.jump(ply);
  }

  /**
   * Goes to a stop of the trail at once; at or before where the game was left, one is in the game again.
   * @param {number} at
   */
  async jump(at) {
    const mine = ++this.journey;
    if (this.played && this.branch !== null && at <= this.branch) this.rejoin();
    this.at = Math.max(0, Math.min(this.trail.length - 1, at));
    this.peeking += 1;
    this.board.skip();
    await this.playing;
    if (mine !== this.journey) return;
    this.still();
    await this.arrive(mine);
  }

  /** Shows the stop without motion. */
  still() {
    this.board.set(this.boardAt(this.at));
    this.board.last(this.trail[this.at].ply);
  }

  rejoin() {
    this.trail = /** @type {Played} */ (this.played).stops;
    this.branch = null;
  }

  /** One move further along the way. */
  async forward() {
    return this.at + 1 < this.trail.length && this.advance(this.trail[this.at + 1]);
  }

  /**
   * Shows the move that leads to the next stop, and tells whether nothing else was gone to meanwhile.
   * @param {Stop} stop
   */
  async advance(stop) {
    const mine = ++this.journey;
    this.peeking += 1;
    this.board.skip();
    await this.playing;
    if (mine !== this.journey) return false;
    this.still();
    this.at += 1;
    this.forget();
    this.studied().catch(() => {}); // asked for meanwhile; what is beside the board waits for the motion
    if (stop.ply) {
      await (this.playing = this.board.play(stop.ply));
      if (mine !== this.journey) return false;
      say(
        [t("said.move", { side: sideName(this.frame.sides[stop.ply.side]), move: stop.ply.move }), effects(stop.ply)]
          .filter(Boolean)
          .join(". "),
      );
    }
    await this.arrive(mine);
    if (mine === this.journey) this.ideas();
    return mine === this.journey;
  }

  /** Forgets what was thought of the position that is left. */
  forget() {
    this.thought = null;
    this.position = null;
    this.board.point([]);
    this.board.allow([], 0);
    if (!this.lesson) this.thinker.stop();
  }

  /** Learns what there is to know of where one is. @param {number} mine */
  async arrive(mine) {
    this.forget();
    this.address();
    this.lines.clear();
    this.draw();
    const study = await this.studied();
    if (mine !== this.journey) return;
    const position = (this.position = study.position);
    const finished = position.outcome ?? this.finished();
    const { lesson } = this;
    // a lesson asks about one position
    const asked = !lesson || (this.branch === null && this.at === lesson.task.number - 1);
    this.board.allow(finished || !asked ? [] : (position.legal ?? []), position.side);
    if (!this.lesson) {
      if (finished) this.lines.say(t(this.played ? "lines.over.game" : "lines.over"));
      else this.thinker.ask(this.place);
    }
    this.draw();
  }

  /** How the game under review ended, where one is at its end. */
  finished() {
    return this.played && this.branch === null && this.at === this.played.stops.length - 1
      ? this.played.outcome
      : undefined;
  }

  /** The address is what is looked at, so that a link to it is a link to this. */
  address() {
    const at = this.played
      ? `/analysis/${this.played.id}?ply=${this.branch ?? this.at}`
      : `/analysis?${query(this.place)}`;
    history.replaceState(null, "", at);
  }

  /** @param {Thought} thought */
  take(thought) {
    if (!this.position || this.lesson || this.editor) return;
    if (thought.refused) return this.lines.say(translated(thought.refused));
    this.thought = thought;
    this.lines.set(thought, this.position, this.frame);
    this.tell();
    this.ideas();
  }

  /** Says in large what the position is worth, and shows it on the bar. */
  tell() {
    const finished = this.finished();
    const over = this.position && ended(finished ? { ...this.position, outcome: finished } : this.position, this.frame);
    const line = this.thought?.lines[0];
    const worth = over ?? (line && this.position ? worthOf(line, this.position, this.frame) : null);
    const shown = worth ?? this.lastWorth;
    this.lastWorth = shown;
    this.bar.set(shown, this.frame, this.flipped);
    this.bar.element.classList.toggle("stale", !worth);
    this.headline.classList.toggle("stale", !worth);
    this.headline.replaceChildren(
      ...(shown
        ? [
            shown.side !== null ? sideMark(shown.side) : "",
            h("span", {}, shown.long),
            shown.exact && !over ? h("span", { class: "proof" }, t("worth.proof")) : "",
          ]
        : ["…"]),
    );
  }

  /** Points at the best moves on the board. */
  ideas() {
    if (this.lesson || this.editor || !this.thought || !this.position || this.board.running.size) return;
    const { legal = [], side } = this.position;
    const where = this.position;
    this.board.point(
      this.thought.lines.flatMap((line) => {
        const move = legal.find((one) => one.move === line.moves[0]);
        return move ? [{ cells: move.cells ?? [], text: forMover(line, where, this.frame), side }] : [];
      }),
    );
  }

  /** Draws everything beside board and lines. */
  draw() {
    const scores = this.at ? this.trail[this.at].ply?.scores : this.study.start.scores;
    const turn = this.position && !this.position.outcome && !this.finished() ? this.position.side : null;
    this.bars.forEach((bar, side) => {
      const name = sideName(this.frame.sides[side]);
      const seat = this.played?.seats[side];
      const who = seat && seat.player !== "?" ? personName(seat.player, seat.name) : null;
      bar.classList.toggle("turn", turn === side);
      bar.replaceChildren(
        sideMark(side),
        h("span", { class: "who" }, h("strong", {}, who ?? name), who && h("small", {}, name)),
        h("span", { class: "score" }, scores ? String(scores[side]) : ""),
      );
    });
    const below = this.flipped ? 1 : 0;
    this.bottom.replaceChildren(this.bars[below]);
    this.top.replaceChildren(this.bars[1 - below]);
    this.review?.go(this.branch ?? this.at);
    this.tell();
    this.drawAside();
    this.drawTools();
  }

  /** The way on from where the game was left, or the moves tried so far. */
  drawAside() {
    const from = this.branch ?? 0;
    const tried = this.branch !== null || !this.played ? this.trail.slice(from + 1) : [];
    const pass = (this.position?.legal ?? []).find(({ cells }) => !cells?.length);
    const lost = refill(
      this.aside,
      ...(tried.length
        ? [
            h(
              "div",
              { class: "tried" },
              this.played ? h("strong", {}, t("aside.title")) : "",
              h(
                "ol",
                { class: "moves" },
                ...tried.map(({ ply }, index) =>
                  h(
                    "li",
                    {},
                    h(
                      "button",
                      {
                        type: "button",
                        class: `side${ply?.side}${from + 1 + index === this.at ? " current" : ""}`,
                        click: () => this.jump(from + 1 + index),
                      },
                      h("span", { class: "no" }, String(from + 1 + index)),
                      sideMark(ply?.side ?? 0),
                      ply?.move ?? "",
                    ),
                  ),
                ),
              ),
              this.played
                ? h("button", { type: "button", class: "quiet", click: () => this.jump(from) }, t("aside.back"))
                : "",
            ),
          ]
        : []),
      ...(!tried.length && !this.played && this.at === 0 ? [h("p", { class: "dim" }, t("analysis.how"))] : []),
      ...(pass
        ? [h("button", { type: "button", class: "quiet", click: () => this.choose(pass) }, t("match.pass"))]
        : []),
    );
    if (lost) this.steps.querySelector("button")?.focus();
  }

  drawTools() {
    const act = (/** @type {string} */ key, /** @type {() => unknown} */ work) =>
      h("button", { type: "button", class: "quiet", click: trying(work) }, t(key));
    const open = this.position && !this.position.outcome && !this.finished();
    refill(
      this.tools,
      act("analysis.edit", () => this.edit()),
      act("import.title", () => this.import()),
      act("export.title", () => this.export()),
      ...(open
        ? [
            act("analysis.play", () => this.playOn()),
            h("a", { class: "quiet", href: `/explorer?${query(this.place)}` }, t("analysis.explore")),
          ]
        : []),
    );
  }

  /** @param {Move} move */
  choose(move) {
    if (this.editor) return this.editor.put(move);
    const { lesson } = this;
    if (lesson) return trying(() => lesson.answer(move))();
    return trying(() => this.follow([move.move]))();
  }

  /** Plays moves from where one is; another way than the game's own is a way of its own. @param {string[]} moves */
  async follow(moves) {
    this.unpeek();
    if (!moves.length) return;
    if (moves.every((move, index) => this.trail[this.at + 1 + index]?.ply?.move === move)) {
      for (const _ of moves) if (!(await this.forward())) return;
      return;
    }
    const journey = this.journey;
    const texts = await this.texts(moves);
    if (journey !== this.journey) return;
    if (this.played && this.branch === null) this.branch = this.at;
    this.trail = [...this.trail.slice(0, this.at + 1), ...texts];
    for (const stop of texts) if (!(await this.advance(stop))) return;
  }

  /** The stops along some moves. @param {string[]} moves @returns {Promise<Stop[]>} */
  async texts(moves) {
    const studies = await Promise.all(moves.map((_, index) => this.studied(moves.slice(0, index + 1))));
    return studies.map((study) => ({
      text: study.position.text,
      ply: (study.plies ?? [])[study.plies ? study.plies.length - 1 : 0],
    }));
  }

  /**
   * Shows a line on the board: its last move, or all of it step by step.
   * @param {string[]} moves @param {number} from
   */
  async peek(moves, from) {
    if (this.lesson || this.editor) return;
    const mine = ++this.peeking;
    const study = await this.studied(moves).catch(() => null);
    this.board.skip();
    await this.playing;
    if (mine !== this.peeking || !study) return;
    const plies = study.plies ?? [];
    this.board.point([]);
    this.still();
    const last = plies[plies.length - 1];
    if (from > 0 && last) {
      this.board.set(last.steps[last.steps.length - 1]?.board ?? this.boardAt(this.at));
      this.board.last(last);
      return;
    }
    for (const ply of plies) {
      await (this.playing = this.board.play(ply));
      await new Promise((done) => setTimeout(done, PEEK_MS));
      if (mine !== this.peeking) return;
    }
  }

  /** Shows the position again. */
  async unpeek() {
    if (this.lesson || this.editor) return;
    const mine = ++this.peeking;
    this.board.skip();
    await this.playing;
    if (mine !== this.peeking) return;
    this.still();
    this.ideas();
  }

  /** Shows something else in place of the usual panel, or that again. @param {HTMLElement | null} element */
  swap(element) {
    this.special.replaceChildren(...(element ? [element] : []));
    this.special.hidden = !element;
    this.usual.hidden = Boolean(element);
    this.bar.element.classList.toggle("hidden", Boolean(element));
  }

  async edit() {
    this.thinker.stop();
    this.board.allow([], 0);
    const study = await this.studied();
    ++this.journey;
    this.board.skip();
    await this.playing;
    this.still();
    this.editor = new Editor(this.board, study, {
      taken: ({ frame, options, position }) =>
        go(`/analysis?${query({ game: frame.game, options: options ?? "", text: position.text })}`),
      left: () => this.unedit(),
    });
    this.swap(this.editor.element);
    this.editor.element.querySelector("input")?.focus();
  }

  unedit() {
    this.editor = null;
    this.swap(null);
    this.tools.querySelector("button")?.focus();
    this.jump(this.at);
  }

  /** @param {number} side @param {import("../analysis/learn.js").Judged[]} tasks */
  learn(side, tasks) {
    if (!this.played) return;
    this.thinker.stop();
    this.flipped = side === 1;
    this.lesson = new Lesson(this.played.id, this.frame, side, tasks, {
      show: async (ply) => {
        await this.revisit(ply);
        return this.position?.legal ?? [];
      },
      point: (moves, texts) =>
        this.board.point(moves.map(({ cells = [] }, index) => ({ cells, text: texts[index], side }))),
      tried: (moves) => this.follow(moves),
      left: () => this.unlearn(),
    });
    this.swap(this.lesson.element);
    trying(() => this.lesson?.set())();
    this.lesson.element.querySelector("button")?.focus();
  }

  unlearn() {
    this.lesson = null;
    this.flipped = false;
    this.swap(null);
    /** @type {HTMLElement | null} */ (this.usual.querySelector(".learn"))?.focus();
    this.jump(this.branch ?? this.at);
  }

  import() {
    const { start, frame } = this.study;
    const options = Object.entries(frame.options)
      .map(([key, value]) => `${key}=${value}`)
      .join(" ");
    const moves = (start.legal ?? []).slice(0, 2).map(({ move }) => move);
    bring({ game: frame.game, options, start: start.text, random: Boolean(start.scores), moves });
  }

  export() {
    const moves = this.trail.slice(1, this.at + 1).map(({ ply }) => ply?.move ?? "");
    const whole = query({ ...this.place, text: this.trail[0].text }, moves);
    const inGame = this.played && this.branch === null;
    takeAway({
      address: inGame ? location.href : `${location.origin}/analysis?${query(this.place)}`,
      text: this.place.text,
      asked: query(this.place),
      record: inGame && this.played ? `/api/matches/${this.played.id}/record` : `/api/positions/files/record?${whole}`,
      course: this.study.course_file ?? false,
    });
  }

  /** Plays on from here against the engine. */
  async playOn() {
    const { side } = /** @type {Position} */ (this.position);
    const seats = side === 0 ? ["human", "engine:level=5"] : ["engine:level=5", "human"];
    const match = await ask("/api/matches", {
      game: this.frame.game,
      options: this.frame.options,
      seats,
      start: this.place.text,
    });
    go(`/match/${match.id}`);
  }

  best() {
    const move = this.thought?.lines[0]?.moves[0];
    return move === undefined ? undefined : trying(() => this.follow([move]))();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.editor || document.querySelector("dialog[open]")) return;
    const target = event.target;
    if (
      target instanceof HTMLInputElement ||
      target instanceof HTMLSelectElement ||
      target instanceof HTMLTextAreaElement
    )
      return;
    const pressed = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
    const work = {
      f: () => ((this.flipped = !this.flipped), this.draw()),
      ...(this.lesson
        ? {}
        : {
            ArrowLeft: () => this.jump(this.at - 1),
            ArrowRight: () => this.forward(),
            Home: () => this.jump(0),
            End: () => this.jump(this.trail.length - 1),
            " ": () => this.best(),
          }),
    }[event.key];
    if (!work || (event.key === " " && pressed)) return;
    event.preventDefault();
    work();
  }
}

/** A game that is over, to be gone through. @param {string} id @returns {Promise<[Study, Played]>} */
async function played(id) {
  const name = encodeURIComponent(id);
  /** @type {[import("./match.js").View, string[]]} */
  const [view, texts] = await Promise.all([ask(`/api/matches/${name}`), ask(`/api/matches/${name}/positions`)]);
  const { game, options } = view.frame;
  const all = Object.entries(options)
    .map(([key, value]) => `${key}=${value}`)
    .join(" ");
  const study = await ask(`/api/positions?${query({ game, options: all, text: texts[0] })}`);
  const stops = texts.map((text, index) => ({ text, ply: index ? (view.plies ?? [])[index - 1] : null }));
  return [study, { id: view.id, seats: view.seats, outcome: view.position.outcome, stops }];
}

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, [id]) {
  const asked = new URLSearchParams(location.search);
  const wish = asked.has("game") ? location.search : "?game=chain-reaction";
  const [[study, game], games] = await Promise.all([
    id ? played(id) : ask(`/api/positions${wish}`).then((found) => [found, null]),
    ask("/api/games"),
    dress("analysis"),
  ]);
  const at = id ? Number(asked.get("ply") ?? Infinity) : 0;
  const page = new AnalysisPage(main, study, await lookOf(study.frame.game), games, game, Number.isNaN(at) ? 0 : at);
  return () => page.leave();
}
