// The analysis of a position or a whole game: brings the parts of this folder together around one board, and steps
// through positions. Knows no rules: positions and moves come from the server.

import { Board } from "../board.js";
import { announce, ask, gameName, go, h, handler, personName, say, sideName, t } from "../page.js";
import { Seats, boardAfter, moveSentence, runKey } from "../replay.js";
import { Editor } from "./editor.js";
import { EngineClient, PositionCache, optionsText, positionQuery } from "./engine.js";
import { EvaluationView, evaluationOf, finalEvaluation, shortForMover } from "./evaluation.js";
import { showExport, showImport } from "./files.js";
import { Lesson } from "./learn.js";
import { LineList } from "./lines.js";
import { AnalysisPanel } from "./panel.js";
import { Path } from "./path.js";
import { ReviewPanel } from "./review.js";
import { VariationPanel } from "./variation.js";

/** @typedef {import("../page.js").Move} Move */
/** @typedef {import("../page.js").Ply} Ply */
/** @typedef {import("../page.js").Position} Position */
/** @typedef {import("./engine.js").EngineInfo} EngineInfo */
/** @typedef {import("./engine.js").Study} Study */
/** @typedef {import("./path.js").PathNode} PathNode */
/**
 * @typedef {{ id: string, seats: import("../pages/match.js").View["seats"], outcome: import("../page.js").Outcome |
 *   undefined, path: PathNode[] }} PlayedGame
 */

const LINES = 3;
const PREVIEW_MS = 420;

export class AnalysisPage {
  /**
   * @param {HTMLElement} main @param {Study} study of the start @param {import("../board.js").Look} look
   * @param {HTMLElement} header @param {PlayedGame | null} played @param {number} at
   */
  constructor(main, study, look, header, played, at) {
    this.study = study;
    this.frame = study.frame;
    this.played = played;
    this.path = new Path(played?.path ?? [{ text: study.start.text, ply: null }], played !== null, at);
    /** @type {Position | null} */
    this.position = null;
    /** @type {EngineInfo | null} */
    this.info = null;
    this.positions = new PositionCache();
    this.flipped = false;
    /** Counts navigations: one that is overtaken by another ends. */
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
    this.seats = new Seats();
    this.evaluation = new EvaluationView(this.frame);
    this.lines = new LineList(LINES, {
      preview: (moves, from) => this.preview(moves, from),
      endPreview: () => this.endPreview(),
      play: (moves) => handler(() => this.playMoves(moves))(),
    });
    this.engine = new EngineClient((info) => this.showInfo(info));
    this.review = this.reviewPanel();
    this.variation = new VariationPanel(played !== null, {
      jump: (ply) => this.jump(ply),
      leave: () => this.jump(this.path.gamePly),
      pass: () => this.choose(/** @type {Move} */ (this.passMove())),
    });
    const parts = {
      header,
      headline: this.evaluation.headline,
      lines: this.lines.element,
      variation: this.variation.element,
      review: this.review?.element,
    };
    this.panel = new AnalysisPanel(parts, {
      first: () => this.jump(0),
      back: () => this.jump(this.path.at - 1),
      next: () => this.forward(),
      last: () => this.jump(this.path.last),
      edit: () => this.openEditor(),
      import: () => this.showImport(),
      export: () => this.showExport(),
      play: () => this.playEngine(),
    });
    const column = h("div", this.seats.top, this.board.element, this.seats.bottom);
    column.style.setProperty("--ratio", this.board.element.style.getPropertyValue("--ratio"));
    main.className = "match analysis";
    main.append(
      h("h1.unseen", `${t("analysis.title")}: ${name}`),
      h("section.table", { "aria-label": name }, h("div.boarded", this.evaluation.bar, column)),
      this.panel.element,
    );
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.jump(this.path.at);
  }

  /** Returns the review of the played game, if it has moves. */
  reviewPanel() {
    if (!this.played || this.played.path.length < 2) return null;
    const { id, path, outcome } = this.played;
    const plies = path.slice(1).map(({ ply }) => /** @type {Ply} */ (ply));
    return new ReviewPanel(id, this.frame, plies, outcome, {
      jump: (ply) => this.jumpInGame(ply),
      learn: (side, tasks) => this.openLesson(side, tasks),
    });
  }

  leave() {
    this.engine.stop();
    this.review?.leave();
    document.removeEventListener("keydown", this.keys);
  }

  /** @returns {import("./engine.js").PositionQuery} */
  get query() {
    return { game: this.frame.game, options: this.study.options ?? "", text: this.path.node.text };
  }

  /** Fetches the current position with the result of some moves from it. @param {string[]} [moves] */
  fetchStudy(moves = []) {
    return this.positions.fetch(this.query, moves);
  }

  /** Returns the move that has no cell, where it is legal. */
  passMove() {
    return (this.position?.legal ?? []).find(({ cells }) => !cells?.length);
  }

  /** Returns the board at the position that is shown. */
  boardData() {
    const plies = this.path.nodes.slice(0, this.path.at + 1).map(({ ply }) => ply);
    return boardAfter(plies, this.study.start.board);
  }

  /** Jumps to a ply of the game; a variation is dropped. @param {number} ply */
  jumpInGame(ply) {
    this.path.leaveVariation();
    return this.jump(ply);
  }

  /** Jumps to a position of the path. @param {number} at */
  async jump(at) {
    const mine = ++this.navigation;
    this.path.moveTo(at);
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
    this.board.markLast(this.path.node.ply);
  }

  /** Plays the next move of the path. Returns whether no other navigation began meanwhile. */
  async forward() {
    if (!this.path.next) return false;
    const mine = ++this.navigation;
    this.previews += 1;
    this.board.skip();
    await this.playing;
    if (mine !== this.navigation) return false;
    this.showPosition();
    this.path.at += 1;
    this.clearInfo();
    this.fetchStudy().catch(() => {}); // fetched during the animation; the panel waits for its end
    const { ply } = this.path.node;
    if (ply) {
      await (this.playing = this.board.play(ply));
      if (mine !== this.navigation) return false;
      announce(moveSentence(ply, sideName(this.frame.sides[ply.side])));
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
    const { position } = await this.fetchStudy();
    if (mine !== this.navigation) return;
    this.position = position;
    const { lesson } = this;
    // a lesson asks about one position only
    const asked = !lesson || (this.path.branch === null && this.path.at === lesson.task.number - 1);
    this.board.allow(this.outcome || !asked ? [] : (position.legal ?? []), position.side);
    if (!lesson && this.outcome) this.lines.showMessage(t(this.played ? "lines.over.game" : "lines.over"));
    else if (!lesson) this.engine.ask(this.query);
    this.draw();
  }

  /** How the game ended, if the current position is the last one. */
  get outcome() {
    return this.position?.outcome ?? (this.path.isGameEnd ? this.played?.outcome : undefined);
  }

  /** Whether the position can still be played on. */
  get isOpen() {
    return this.position !== null && !this.outcome;
  }

  /** Updates the address, so that it links to the current position. */
  updateAddress() {
    const at = this.played
      ? `/analysis/${this.played.id}?ply=${this.path.gamePly}`
      : `/analysis?${positionQuery(this.query)}`;
    history.replaceState(null, "", at);
  }

  /** @param {EngineInfo} info */
  showInfo(info) {
    if (!this.position || this.lesson || this.editor) return;
    if (info.refused) return this.lines.showMessage(say(info.message, info.refused));
    this.info = info;
    this.lines.set(info, this.position, this.frame);
    this.drawEvaluation();
    this.suggestMoves();
  }

  drawEvaluation() {
    const { position, outcome, frame } = this;
    const line = this.info?.lines[0];
    const over = position && finalEvaluation({ ...position, outcome }, frame);
    const evaluation = over ?? (line && position ? evaluationOf(line, position, frame) : null);
    this.evaluation.show(evaluation, this.flipped, Boolean(over));
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
    const { path, position, frame } = this;
    const players = frame.sides.map((side, index) => {
      const seat = this.played?.seats[index];
      const person = seat && seat.player !== "?" ? personName(seat.player, seat.name) : null;
      return { name: person ?? sideName(side), detail: person && sideName(side) };
    });
    const turn = position && this.isOpen ? position.side : null;
    const scores = path.at ? path.node.ply?.scores : this.study.start.scores;
    this.seats.show({ turn, flipped: this.flipped, scores }, players);
    this.review?.showPly(path.gamePly);
    this.drawEvaluation();
    if (this.variation.show(path, this.passMove() !== undefined)) this.panel.focusSteps();
    this.panel.offerPlay(this.isOpen, positionQuery(this.query));
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
    if (!this.path.continuesWith(moves)) {
      const mine = this.navigation;
      const nodes = await this.nodesAlong(moves);
      if (mine !== this.navigation) return;
      this.path.extend(nodes);
    }
    for (const _ of moves) if (!(await this.forward())) return;
  }

  /** Fetches the positions along some moves. @param {string[]} moves @returns {Promise<PathNode[]>} */
  async nodesAlong(moves) {
    const studies = await Promise.all(moves.map((_, index) => this.fetchStudy(moves.slice(0, index + 1))));
    return studies.map(({ position, plies = [] }) => ({ text: position.text, ply: plies.at(-1) ?? null }));
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

  /** Shows the editor or a lesson, or the usual panel again. @param {HTMLElement | null} element */
  showMode(element) {
    this.panel.showMode(element);
    this.evaluation.bar.classList.toggle("hidden", Boolean(element));
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
    this.panel.focusAfterMode(".tools button");
    this.jump(this.path.at);
  }

  /** @param {number} side @param {import("./learn.js").Judged[]} tasks */
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
    this.panel.focusAfterMode(".learn");
    this.jump(this.path.gamePly);
  }

  showImport() {
    const { start, frame } = this.study;
    const options = optionsText(frame.options);
    const moves = (start.legal ?? []).slice(0, 2).map(({ move }) => move);
    showImport({ game: frame.game, options, start: start.text, random: Boolean(start.scores), moves });
  }

  showExport() {
    const { path, played, query } = this;
    const whole = positionQuery({ ...query, text: path.nodes[0].text }, path.moves);
    const inGame = played && path.branch === null;
    showExport({
      address: inGame ? location.href : `${location.origin}/analysis?${positionQuery(query)}`,
      text: query.text,
      asked: positionQuery(query),
      record: inGame ? `/api/matches/${played.id}/record` : `/api/positions/files/record?${whole}`,
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
      ArrowLeft: () => this.jump(this.path.at - 1),
      ArrowRight: () => this.forward(),
      Home: () => this.jump(0),
      End: () => this.jump(this.path.last),
      " ": () => this.playBest(),
    };
    runKey(event, this.lesson ? flip : { ...flip, ...steps });
  }
}
