// The analysis page: a position or a whole game, the engine's evaluation, and variations. Brings the parts of
// ../analysis together around one board. Knows no rules: positions and moves come from the server.

import { Board, loadLook } from "../board.js";
import { Editor } from "../analysis/editor.js";
import { showExport, showImport } from "../analysis/files.js";
import { Lesson } from "../analysis/learn.js";
import { LineList } from "../analysis/lines.js";
import { ReviewPanel } from "../analysis/review.js";
import { EngineClient, optionsText, positionQuery } from "../analysis/engine.js";
import { EvaluationBar, evaluationOf, finalEvaluation, shortForMover } from "../analysis/evaluation.js";
import {
  announce,
  ask,
  FIRST_GAME,
  gameName,
  go,
  h,
  handler,
  loadAssets,
  personName,
  say,
  sideMark,
  sideName,
  t,
} from "../page.js";
import { actionButton, select } from "../components.js";
import { boardAfter, runKey, stepButton } from "../replay.js";
import { describeMove } from "./match.js";

/** @typedef {import("../page.js").Game} Game */
/** @typedef {import("../page.js").Move} Move */
/** @typedef {import("../page.js").Ply} Ply */
/** @typedef {import("../page.js").Position} Position */
/** @typedef {import("../analysis/editor.js").Study} Study */
/** @typedef {import("../analysis/engine.js").EngineInfo} Thought */
/**
 * A position on the path: its text, and the move that led to it.
 * @typedef {{ text: string, ply: Ply | null }} PathNode
 */
/**
 * @typedef {{ id: string, seats: import("./match.js").View["seats"], outcome: import("../page.js").Outcome | undefined,
 *   path: PathNode[] }} PlayedGame
 */

const LINES = 3;
const PREVIEW_MS = 420;

/**
 * Replaces the children of an element and keeps the keyboard focus on the same button. Returns whether there was none
 * left to focus.
 * @param {HTMLElement} place @param {...(Node | string)} children
 */
function replaceKeepingFocus(place, ...children) {
  const all = () => /** @type {HTMLElement[]} */ ([...place.querySelectorAll("button, a")]);
  const at = all().indexOf(/** @type {HTMLElement} */ (document.activeElement));
  place.replaceChildren(...children);
  if (at >= 0) (all()[at] ?? all().at(-1))?.focus();
  return at >= 0 && all().length === 0;
}

class AnalysisPage {
  /**
   * @param {HTMLElement} main @param {Study} study of the start @param {import("../board.js").Look} look
   * @param {Game[]} games @param {PlayedGame | null} played @param {number} at
   */
  constructor(main, study, look, games, played, at) {
    this.study = study;
    this.frame = study.frame;
    this.options = study.options ?? "";
    this.played = played;
    /**
     * The positions that one can step through: those of the game, or the start of the game and then a variation.
     * @type {PathNode[]}
     */
    this.path = played ? played.path : [{ text: study.start.text, ply: null }];
    /** The ply at which the variation leaves the game. @type {number | null} */
    this.branch = null;
    this.at = Math.max(0, Math.min(this.path.length - 1, at));
    /** @type {Position | null} */
    this.position = null;
    /** @type {Thought | null} */
    this.info = null;
    /** Recent requests. @type {Map<string, Promise<Study>>} */
    this.studyCache = new Map();
    this.flipped = false;
    this.navigation = 0;
    this.previews = 0;
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
    this.bar = new EvaluationBar();
    this.lines = new LineList(LINES, {
      preview: (moves, from) => this.preview(moves, from),
      endPreview: () => this.endPreview(),
      play: (moves) => handler(() => this.playMoves(moves))(),
    });
    this.engine = new EngineClient((info) => this.showInfo(info));
    this.review =
      played && played.path.length > 1
        ? new ReviewPanel(
            played.id,
            this.frame,
            played.path.slice(1).map(({ ply }) => /** @type {Ply} */ (ply)),
            played.outcome,
            { jump: (ply) => this.jumpInGame(ply), learn: (side, tasks) => this.openLesson(side, tasks) },
          )
        : null;
    this.bars = [0, 1].map((side) => h("div", { class: `player side${side}` }));
    this.top = h("div.seat");
    this.bottom = h("div.seat");
    const column = h("div", this.top, this.board.element, this.bottom);
    column.style.setProperty("--ratio", this.board.element.style.getPropertyValue("--ratio"));
    this.boardRow = h("div.boarded", this.bar.element, column);
    this.headline = h("p.headline", { role: "status" });
    this.variation = h("div.aside");
    this.steps = h(
      "div.steps",
      { role: "group", "aria-label": t("match.replay") },
      stepButton("first", "match.first", () => this.jump(0)),
      stepButton("back", "match.back", () => this.jump(this.at - 1)),
      stepButton("next", "match.next", () => this.forward()),
      stepButton("last", "match.last", () => this.jump(this.path.length - 1)),
    );
    this.tools = h("div.actions.tools");
    this.modePanel = h("div.special", { hidden: true });
    this.mainPanel = h(
      "div.usual",
      h("section.thinking", { "aria-label": t("lines.label") }, this.headline, this.lines.element),
      this.variation,
      this.steps,
      this.review?.element ?? "",
      this.tools,
    );
    /** @type {import("../analysis/evaluation.js").Evaluation | null} */
    this.lastEvaluation = null;
    this.build(main, name, games);
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.jump(this.at);
  }

  /** @param {HTMLElement} main @param {string} name @param {Game[]} games */
  build(main, name, games) {
    main.className = "match analysis";
    main.append(
      h("h1.unseen", `${t("analysis.title")}: ${name}`),
      h("section.table", { "aria-label": name }, this.boardRow),
      h("aside.panel", this.header(name, games), this.modePanel, this.mainPanel),
    );
  }

  /**
   * Returns the header: the game under review, or selects for another game or board.
   * @param {string} name @param {Game[]} games
   */
  header(name, games) {
    if (this.played)
      return h("div.what", h("strong", name), h("a.link", { href: `/match/${this.played.id}` }, t("analysis.watch")));
    const own = games.find((game) => game.name === this.frame.game);
    const linkSelect = (/** @type {string} */ label, /** @type {[string, string][]} */ links, chosen = "") => {
      const element = select(links, chosen, { "aria-label": label, change: () => go(element.value) });
      return element;
    };
    const boards = (own?.boards ?? []).filter((board) => Object.keys(board).length);
    return h(
      "div.chosen",
      linkSelect(
        t("play.game"),
        games.map(({ name, title }) => [`/analysis?game=${name}`, gameName(name, title)]),
        `/analysis?game=${this.frame.game}`,
      ),
      boards.length > 1 &&
        linkSelect(t("play.board"), [
          [location.pathname + location.search, `${this.frame.rows}×${this.frame.cols}`],
          ...boards.map((board) => {
            const query = new URLSearchParams({ game: this.frame.game, options: optionsText(board) });
            return /** @type {[string, string]} */ ([`/analysis?${query}`, Object.values(board).join(" · ")]);
          }),
        ]),
      this.study.start.scores &&
        h(
          "button.quiet",
          {
            click: () => {
              const seed = String(Math.floor(Math.random() * 1e6));
              go(`/analysis?${new URLSearchParams({ game: this.frame.game, options: this.options, seed })}`);
            },
          },
          t("analysis.shuffle"),
        ),
    );
  }

  leave() {
    this.engine.stop();
    this.review?.leave();
    document.removeEventListener("keydown", this.keys);
  }

  /** @returns {import("../analysis/engine.js").PositionQuery} */
  get query() {
    return { game: this.frame.game, options: this.options, text: this.path[this.at].text };
  }

  /**
   * Fetches the current position with the result of some moves from it.
   * @param {string[]} [moves] @returns {Promise<Study>}
   */
  fetchStudy(moves = []) {
    const asked = positionQuery(this.query, moves);
    const known = this.studyCache.get(asked) ?? ask(`/api/positions?${asked}`);
    if (this.studyCache.size > 300) this.studyCache.clear();
    this.studyCache.set(asked, known);
    known.catch(() => this.studyCache.delete(asked));
    return known;
  }

  /** Returns the board at the position that is shown. */
  boardData() {
    const plies = this.path.slice(0, this.at + 1).map(({ ply }) => ply);
    return boardAfter(plies, this.study.start.board);
  }

  /** Jumps to a ply of the game; a variation is dropped. @param {number} ply */
  jumpInGame(ply) {
    if (this.branch !== null) this.leaveVariation();
    return this.jump(ply);
  }

  /** Jumps to a position of the path; at or before the branch, the variation is dropped. @param {number} at */
  async jump(at) {
    const mine = ++this.navigation;
    if (this.played && this.branch !== null && at <= this.branch) this.leaveVariation();
    this.at = Math.max(0, Math.min(this.path.length - 1, at));
    this.previews += 1;
    this.board.skip();
    await this.playing;
    if (mine !== this.navigation) return;
    this.showPosition();
    await this.loadPosition(mine);
  }

  /** Draws the current position without animation. */
  showPosition() {
    this.board.set(this.boardData());
    this.board.markLast(this.path[this.at].ply);
  }

  leaveVariation() {
    this.path = /** @type {PlayedGame} */ (this.played).path;
    this.branch = null;
  }

  /** Plays the next move of the path. */
  async forward() {
    return this.at + 1 < this.path.length && this.advance(this.path[this.at + 1]);
  }

  /**
   * Animates the move to the next position. Returns whether no other navigation began meanwhile.
   * @param {PathNode} stop
   */
  async advance(stop) {
    const mine = ++this.navigation;
    this.previews += 1;
    this.board.skip();
    await this.playing;
    if (mine !== this.navigation) return false;
    this.showPosition();
    this.at += 1;
    this.clearInfo();
    this.fetchStudy().catch(() => {}); // fetched during the animation; the panel waits for its end
    if (stop.ply) {
      await (this.playing = this.board.play(stop.ply));
      if (mine !== this.navigation) return false;
      announce(
        [
          t("said.move", { side: sideName(this.frame.sides[stop.ply.side]), move: stop.ply.move }),
          describeMove(stop.ply),
        ]
          .filter(Boolean)
          .join(". "),
      );
    }
    await this.loadPosition(mine);
    if (mine === this.navigation) this.suggestMoves();
    return mine === this.navigation;
  }

  /** Clears the evaluation of the last position. */
  clearInfo() {
    this.info = null;
    this.position = null;
    this.board.suggest([]);
    this.board.allow([], 0);
    if (!this.lesson) this.engine.stop();
  }

  /** Loads the current position and asks the engine about it. @param {number} mine */
  async loadPosition(mine) {
    this.clearInfo();
    this.updateAddress();
    this.lines.clear();
    this.draw();
    const study = await this.fetchStudy();
    if (mine !== this.navigation) return;
    const position = (this.position = study.position);
    const finished = position.outcome ?? this.gameOutcome();
    const { lesson } = this;
    // a lesson asks about one position only
    const asked = !lesson || (this.branch === null && this.at === lesson.task.number - 1);
    this.board.allow(finished || !asked ? [] : (position.legal ?? []), position.side);
    if (!this.lesson) {
      if (finished) this.lines.showMessage(t(this.played ? "lines.over.game" : "lines.over"));
      else this.engine.ask(this.query);
    }
    this.draw();
  }

  /** Returns the outcome of the game under review if its last position is shown. */
  gameOutcome() {
    return this.played && this.branch === null && this.at === this.played.path.length - 1
      ? this.played.outcome
      : undefined;
  }

  /** Updates the address, so that it links to the current position. */
  updateAddress() {
    const at = this.played
      ? `/analysis/${this.played.id}?ply=${this.branch ?? this.at}`
      : `/analysis?${positionQuery(this.query)}`;
    history.replaceState(null, "", at);
  }

  /** @param {Thought} info */
  showInfo(info) {
    if (!this.position || this.lesson || this.editor) return;
    if (info.refused) return this.lines.showMessage(say(info.message, info.refused));
    this.info = info;
    this.lines.set(info, this.position, this.frame);
    this.drawEvaluation();
    this.suggestMoves();
  }

  /** Draws the evaluation as headline and bar. */
  drawEvaluation() {
    const finished = this.gameOutcome();
    const over =
      this.position && finalEvaluation(finished ? { ...this.position, outcome: finished } : this.position, this.frame);
    const line = this.info?.lines[0];
    const evaluation = over ?? (line && this.position ? evaluationOf(line, this.position, this.frame) : null);
    const shown = evaluation ?? this.lastEvaluation;
    this.lastEvaluation = shown;
    this.bar.set(shown, this.frame, this.flipped);
    this.bar.element.classList.toggle("stale", !evaluation);
    this.headline.classList.toggle("stale", !evaluation);
    this.headline.replaceChildren(
      ...(shown
        ? [
            shown.side !== null ? sideMark(shown.side) : "",
            h("span", shown.long),
            shown.exact && !over ? h("span.proof", t("worth.proof")) : "",
          ]
        : ["…"]),
    );
  }

  /** Marks the best moves on the board. */
  suggestMoves() {
    if (this.lesson || this.editor || !this.info || !this.position || this.board.running.size) return;
    const { legal = [], side } = this.position;
    const where = this.position;
    this.board.suggest(
      this.info.lines.flatMap((line) => {
        const move = legal.find((one) => one.move === line.moves[0]);
        return move ? [{ cells: move.cells ?? [], text: shortForMover(line, where, this.frame), side }] : [];
      }),
    );
  }

  /** Draws everything except the board and the lines. */
  draw() {
    const scores = this.at ? this.path[this.at].ply?.scores : this.study.start.scores;
    const turn = this.position && !this.position.outcome && !this.gameOutcome() ? this.position.side : null;
    this.bars.forEach((bar, side) => {
      const name = sideName(this.frame.sides[side]);
      const seat = this.played?.seats[side];
      const who = seat && seat.player !== "?" ? personName(seat.player, seat.name) : null;
      bar.classList.toggle("turn", turn === side);
      bar.replaceChildren(
        sideMark(side),
        h("span.who", h("strong", who ?? name), who && h("small", name)),
        h("span.score", scores ? String(scores[side]) : ""),
      );
    });
    const below = this.flipped ? 1 : 0;
    this.bottom.replaceChildren(this.bars[below]);
    this.top.replaceChildren(this.bars[1 - below]);
    this.review?.showPly(this.branch ?? this.at);
    this.drawEvaluation();
    this.drawVariation();
    this.drawTools();
  }

  /** Draws the moves of the variation. */
  drawVariation() {
    const from = this.branch ?? 0;
    const tried = this.branch !== null || !this.played ? this.path.slice(from + 1) : [];
    const pass = (this.position?.legal ?? []).find(({ cells }) => !cells?.length);
    const lost = replaceKeepingFocus(
      this.variation,
      ...(tried.length
        ? [
            h(
              "div.tried",
              this.played ? h("strong", t("aside.title")) : "",
              h(
                "ol.moves",
                ...tried.map(({ ply }, index) =>
                  h(
                    "li",
                    h(
                      "button",
                      {
                        class: `side${ply?.side}${from + 1 + index === this.at ? " current" : ""}`,
                        click: () => this.jump(from + 1 + index),
                      },
                      h("span.no", String(from + 1 + index)),
                      sideMark(ply?.side ?? 0),
                      ply?.move ?? "",
                    ),
                  ),
                ),
              ),
              this.played ? h("button.quiet", { click: () => this.jump(from) }, t("aside.back")) : "",
            ),
          ]
        : []),
      ...(!tried.length && !this.played && this.at === 0 ? [h("p.dim", t("analysis.how"))] : []),
      ...(pass ? [h("button.quiet", { click: () => this.choose(pass) }, t("match.pass"))] : []),
    );
    if (lost) this.steps.querySelector("button")?.focus();
  }

  drawTools() {
    const open = this.position && !this.position.outcome && !this.gameOutcome();
    replaceKeepingFocus(
      this.tools,
      actionButton("analysis.edit", () => this.openEditor()),
      actionButton("import.title", () => this.showImport()),
      actionButton("export.title", () => this.showExport()),
      ...(open
        ? [
            actionButton("analysis.play", () => this.playEngine()),
            h("a.quiet", { href: `/explorer?${positionQuery(this.query)}` }, t("analysis.explore")),
          ]
        : []),
    );
  }

  /** @param {Move} move */
  choose(move) {
    if (this.editor) return this.editor.toggleCell(move);
    const { lesson } = this;
    if (lesson) return handler(() => lesson.answer(move))();
    return handler(() => this.playMoves([move.move]))();
  }

  /**
   * Plays moves from the current position; they start a variation where they leave the game.
   * @param {string[]} moves
   */
  async playMoves(moves) {
    this.endPreview();
    if (!moves.length) return;
    if (moves.every((move, index) => this.path[this.at + 1 + index]?.ply?.move === move)) {
      for (const _ of moves) if (!(await this.forward())) return;
      return;
    }
    const journey = this.navigation;
    const texts = await this.nodesAlong(moves);
    if (journey !== this.navigation) return;
    if (this.played && this.branch === null) this.branch = this.at;
    this.path = [...this.path.slice(0, this.at + 1), ...texts];
    for (const stop of texts) if (!(await this.advance(stop))) return;
  }

  /** Fetches the positions along some moves. @param {string[]} moves @returns {Promise<PathNode[]>} */
  async nodesAlong(moves) {
    const studies = await Promise.all(moves.map((_, index) => this.fetchStudy(moves.slice(0, index + 1))));
    return studies.map((study) => ({
      text: study.position.text,
      ply: (study.plies ?? [])[study.plies ? study.plies.length - 1 : 0],
    }));
  }

  /**
   * Previews a line on the board: its last move only, or all of it step by step.
   * @param {string[]} moves @param {number} from
   */
  async preview(moves, from) {
    if (this.lesson || this.editor) return;
    const mine = ++this.previews;
    const study = await this.fetchStudy(moves).catch(() => null);
    this.board.skip();
    await this.playing;
    if (mine !== this.previews || !study) return;
    const plies = study.plies ?? [];
    this.board.suggest([]);
    this.showPosition();
    const last = plies[plies.length - 1];
    if (from > 0 && last) {
      this.board.set(last.steps[last.steps.length - 1]?.board ?? this.boardData());
      this.board.markLast(last);
      return;
    }
    for (const ply of plies) {
      await (this.playing = this.board.play(ply));
      await new Promise((done) => setTimeout(done, PREVIEW_MS));
      if (mine !== this.previews) return;
    }
  }

  /** Ends the preview: draws the current position again. */
  async endPreview() {
    if (this.lesson || this.editor) return;
    const mine = ++this.previews;
    this.board.skip();
    await this.playing;
    if (mine !== this.previews) return;
    this.showPosition();
    this.suggestMoves();
  }

  /**
   * Shows the editor or a lesson in place of the main panel, or the main panel again.
   * @param {HTMLElement | null} element
   */
  showMode(element) {
    this.modePanel.replaceChildren(...(element ? [element] : []));
    this.modePanel.hidden = !element;
    this.mainPanel.hidden = Boolean(element);
    this.bar.element.classList.toggle("hidden", Boolean(element));
  }

  async openEditor() {
    this.engine.stop();
    this.board.allow([], 0);
    const study = await this.fetchStudy();
    ++this.navigation;
    this.board.skip();
    await this.playing;
    this.showPosition();
    this.editor = new Editor(this.board, study, {
      done: ({ frame, options, position }) =>
        go(`/analysis?${positionQuery({ game: frame.game, options: options ?? "", text: position.text })}`),
      cancel: () => this.closeEditor(),
    });
    this.showMode(this.editor.element);
    this.editor.element.querySelector("input")?.focus();
  }

  closeEditor() {
    this.editor = null;
    this.showMode(null);
    this.tools.querySelector("button")?.focus();
    this.jump(this.at);
  }

  /** @param {number} side @param {import("../analysis/learn.js").Judged[]} tasks */
  openLesson(side, tasks) {
    if (!this.played) return;
    this.engine.stop();
    this.flipped = side === 1;
    this.lesson = new Lesson(this.played.id, this.frame, side, tasks, {
      show: async (ply) => {
        await this.jumpInGame(ply);
        return this.position?.legal ?? [];
      },
      suggest: (moves, texts) =>
        this.board.suggest(moves.map(({ cells = [] }, index) => ({ cells, text: texts[index], side }))),
      play: (moves) => this.playMoves(moves),
      close: () => this.closeLesson(),
    });
    this.showMode(this.lesson.element);
    handler(() => this.lesson?.showTask())();
    this.lesson.element.querySelector("button")?.focus();
  }

  closeLesson() {
    this.lesson = null;
    this.flipped = false;
    this.showMode(null);
    /** @type {HTMLElement | null} */ (this.mainPanel.querySelector(".learn"))?.focus();
    this.jump(this.branch ?? this.at);
  }

  showImport() {
    const { start, frame } = this.study;
    const options = optionsText(frame.options);
    const moves = (start.legal ?? []).slice(0, 2).map(({ move }) => move);
    showImport({ game: frame.game, options, start: start.text, random: Boolean(start.scores), moves });
  }

  showExport() {
    const moves = this.path.slice(1, this.at + 1).map(({ ply }) => ply?.move ?? "");
    const whole = positionQuery({ ...this.query, text: this.path[0].text }, moves);
    const inGame = this.played && this.branch === null;
    showExport({
      address: inGame ? location.href : `${location.origin}/analysis?${positionQuery(this.query)}`,
      text: this.query.text,
      asked: positionQuery(this.query),
      record: inGame && this.played ? `/api/matches/${this.played.id}/record` : `/api/positions/files/record?${whole}`,
      course: this.study.course_file ?? false,
    });
  }

  /** Starts a match against the engine from the current position. */
  async playEngine() {
    const { side } = /** @type {Position} */ (this.position);
    const seats = side === 0 ? ["human", "engine:level=5"] : ["engine:level=5", "human"];
    const match = await ask("/api/matches", {
      game: this.frame.game,
      options: this.frame.options,
      seats,
      start: this.query.text,
    });
    go(`/match/${match.id}`);
  }

  playBest() {
    const move = this.info?.lines[0]?.moves[0];
    return move === undefined ? undefined : handler(() => this.playMoves([move]))();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (this.editor) return;
    const flip = { f: () => ((this.flipped = !this.flipped), this.draw()) };
    const steps = {
      ArrowLeft: () => this.jump(this.at - 1),
      ArrowRight: () => this.forward(),
      Home: () => this.jump(0),
      End: () => this.jump(this.path.length - 1),
      " ": () => this.playBest(),
    };
    runKey(event, this.lesson ? flip : { ...flip, ...steps });
  }
}

/** Fetches a finished game with its positions. @param {string} id @returns {Promise<[Study, PlayedGame]>} */
async function fetchGame(id) {
  const name = encodeURIComponent(id);
  /** @type {[import("./match.js").View, string[]]} */
  const [view, texts] = await Promise.all([ask(`/api/matches/${name}`), ask(`/api/matches/${name}/positions`)]);
  const { game, options } = view.frame;
  const study = await ask(`/api/positions?${positionQuery({ game, options: optionsText(options), text: texts[0] })}`);
  const stops = texts.map((text, index) => ({ text, ply: index ? (view.plies ?? [])[index - 1] : null }));
  return [study, { id: view.id, seats: view.seats, outcome: view.position.outcome, path: stops }];
}

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, [id]) {
  const asked = new URLSearchParams(location.search);
  const wish = asked.has("game") ? location.search : `?game=${FIRST_GAME}`;
  const [[study, game], games] = await Promise.all([
    id ? fetchGame(id) : ask(`/api/positions${wish}`).then((found) => [found, null]),
    ask("/api/games"),
    loadAssets("analysis"),
  ]);
  const at = id ? Number(asked.get("ply") ?? Infinity) : 0;
  const page = new AnalysisPage(main, study, await loadLook(study.frame.game), games, game, Number.isNaN(at) ? 0 : at);
  return () => page.leave();
}
