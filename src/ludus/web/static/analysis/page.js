// The analysis of a position or a whole game: brings the parts of this folder together around one board, and steps
// through positions. Knows no rules: positions and moves come from the server.

import { Board } from "../board.js";
import { announce, ask, gameName, go, h, handler, personName, say, sideName, t } from "../page.js";
import { Seats, boardAfter, moveSentence, runKey } from "../replay.js";
import { showShare } from "../share.js";
import { createStudy } from "../studies/create.js";
import { Editor } from "./editor.js";
import { EngineClient, PositionCache, optionsText, positionQuery } from "./engine.js";
import { EvaluationView, evaluationOf, finalEvaluation, shortForMover } from "./evaluation.js";
import { showImport } from "./files.js";
import { Lesson } from "./learn.js";
import { LineList } from "./lines.js";
import { AnalysisPanel } from "./panel.js";
import { Path } from "./path.js";
import { ReviewPanel } from "./review.js";
import { VariationPanel } from "./variation.js";

/** @import { Message, Move, Outcome, Ply, Position } from "../page.js" */
/** @import { EngineInfo, PositionQuery, Study } from "./engine.js" */
/** @import { PathNode } from "./path.js" */
/** @import { View } from "../pages/match.js" */
/** @import { Look } from "../board.js" */
/** @import { Judged } from "./learn.js" */
/** @import { SavedStudy } from "../studies/saved.js" */
/** @import { Tree } from "./tree.js" */
/**
 * @typedef {{ id: string, seats: View["seats"], outcome: Outcome | undefined, ending?: Message, path: PathNode[] }}
 *   PlayedGame
 */

const LINES = 3;
const PREVIEW_MS = 420;

export class AnalysisPage {
  /**
   * @param {HTMLElement} main @param {Study} study of the start @param {Look} look
   * @param {HTMLElement} header @param {PlayedGame | null} played @param {number} at
   * @param {SavedStudy | null} [saved] the study that it shows, which keeps every move
   */
  constructor(main, study, look, header, played, at, saved = null) {
    this.study = study;
    this.frame = study.frame;
    this.played = played;
    this.saved = saved;
    /** @type {Path | Tree} */
    this.path = saved?.tree ?? new Path(played?.path ?? [{ text: study.start.text, ply: null }], played !== null, at);
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
    this.variation = this.variationPanel();
    const parts = {
      header,
      headline: this.evaluation.headline,
      lines: this.lines.element,
      variation: this.variation.element,
      review: saved?.element ?? this.review?.element,
    };
    this.panel = new AnalysisPanel(parts, {
      first: () => this.jump(0),
      back: () => this.jump(this.path.at - 1),
      next: () => this.forward(),
      last: () => this.jump(this.path.last),
      edit: () => this.openEditor(),
      import: () => this.showImport(),
      export: () => this.share(),
      play: () => this.playEngine(),
      save: saved ? null : () => createStudy(this.studyContent()),
    });
    const column = h("div", this.seats.top, this.board.element, this.seats.bottom);
    this.board.shape(column);
    main.className = "match analysis";
    main.append(
      h("h1.unseen", `${t("analysis.title")}: ${name}`),
      h("section.table", { "aria-label": name }, h("div.boarded", this.evaluation.bar, column)),
      this.panel.element,
    );
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    saved?.attach(this.board);
    this.jump(this.path.at);
  }

  /** Returns the list of moves: of a study, or of what was tried here. */
  variationPanel() {
    const pass = () => this.choose(/** @type {Move} */ (this.passMove()));
    if (this.saved) return this.saved.movePanel({ jump: () => this.jump(this.path.at), pass });
    return new VariationPanel(this.played !== null, {
      jump: (ply) => this.jump(ply),
      leave: () => this.jump(this.path.gamePly),
      pass,
    });
  }

  /** Returns the review of the played game, if it has moves. */
  reviewPanel() {
    if (!this.played || this.played.path.length < 2) return null;
    const { id, path, outcome, seats } = this.played;
    const plies = path.slice(1).map(({ ply }) => /** @type {Ply} */ (ply));
    const own = seats.filter(({ you }) => you).length === 1 ? seats.findIndex(({ you }) => you) : null;
    return new ReviewPanel(id, this.frame, plies, outcome, {
      own,
      jump: (ply) => this.jumpInGame(ply),
      learn: (side, tasks) => this.openLesson(side, tasks),
    });
  }

  leave() {
    this.saved?.leave();
    this.engine.stop();
    this.review?.leave();
    document.removeEventListener("keydown", this.keys);
  }

  /** @returns {PositionQuery} */
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

  /**
   * Jumps to a position of the path. Returns whether no other navigation began meanwhile.
   * @param {number} at
   */
  async jump(at) {
    const mine = ++this.navigation;
    this.path.moveTo(at);
    this.previews += 1;
    this.board.skip();
    await this.playing;
    await this.loadPly(this.path.at);
    if (mine !== this.navigation) return false;
    this.showPosition();
    await this.loadPosition(mine);
    return mine === this.navigation;
  }

  /** Fetches the move that led to a position of the path, where only its text is known. @param {number} at */
  async loadPly(at) {
    const { nodes } = this.path;
    for (let place = at; place > 0; place--) {
      const node = nodes[place];
      if (!node) return;
      const query = { ...this.query, text: nodes[place - 1].text };
      node.ply ??= (await this.positions.fetch(query, [node.move ?? ""])).plies?.[0] ?? null;
      if (node.ply?.steps.length) return; // a pass shows the board before it
    }
  }

  /** Draws the current position without animation. */
  showPosition() {
    this.board.set(this.boardData());
    this.board.markLast(this.path.node.ply);
  }

  /** Plays the next move of the path. Returns whether no other navigation began meanwhile. */
  async forward() {
    if (!this.path.next) return false;
    if (!this.path.next.ply) return this.jump(this.path.at + 1); // its steps are still to be fetched
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
    this.board.shapes.replaceChildren();
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
    this.loadPly(this.path.at + 1).catch(() => {}); // so that the next step can be animated
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
    if (this.saved) return;
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
      const you = seat?.you && !this.played?.seats[1 - index].you;
      const person = you ? t("player.you") : seat && seat.player !== "?" ? personName(seat.player, seat.name) : null;
      return { name: person ?? sideName(side), detail: person && sideName(side) };
    });
    const turn = position && this.isOpen ? position.side : null;
    const scores = path.at ? path.node.ply?.scores : this.study.start.scores;
    this.seats.show({ turn, flipped: this.flipped, scores }, players);
    this.review?.showPly(path.gamePly);
    this.saved?.show();
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
      this.saved?.changed();
    }
    for (const _ of moves) if (!(await this.forward())) return;
  }

  /** Fetches the positions along some moves. @param {string[]} moves @returns {Promise<PathNode[]>} */
  async nodesAlong(moves) {
    const studies = await Promise.all(moves.map((_, index) => this.fetchStudy(moves.slice(0, index + 1))));
    return studies.map(({ position, plies = [] }) => ({
      text: position.text,
      side: position.side,
      ply: plies.at(-1) ?? null,
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

  /** @param {number} side @param {Judged[]} tasks */
  openLesson(side, tasks) {
    if (!this.played) return;
    this.engine.stop();
    this.flipped = side === 1;
    this.lesson = new Lesson(this.played.id, this.frame, side, tasks, {
      show: async (ply) => {
        await this.jumpInGame(ply);
        return this.position?.legal ?? [];
      },
      suggest: (moves, text) => this.board.suggest(moves.map(({ cells = [] }) => ({ cells, text, side }))),
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

  /** Shows the ways to share what is on the board. */
  async share() {
    await this.saved?.flush();
    const { path, played, query } = this;
    const here = positionQuery(query);
    const line = positionQuery({ ...query, text: path.nodes[0].text }, path.moves);
    const inGame = played && path.branch === null ? played.id : null;
    const files = this.saved?.files() ?? {
      link: inGame ? `/analysis/${inGame}?ply=${path.at}` : `/analysis?${here}`,
      record: inGame ? `/api/matches/${inGame}/record` : `/api/positions/files/record?${line}`,
      png: inGame ? `/api/matches/${inGame}/picture.png?ply=${path.at}` : `/api/positions/picture.png?${line}`,
      gif: inGame
        ? `/api/matches/${inGame}/animation.gif`
        : path.at
          ? `/api/positions/animation.gif?${line}`
          : undefined,
      embed: inGame ? `/embed/match/${inGame}` : `/embed/analysis?${line}`,
    };
    await showShare({
      ...files,
      text: query.text,
      svg: `/api/positions/files/picture?${here}`,
      course: this.study.course_file ? `/api/positions/files/course?${here}` : undefined,
    });
  }

  /** Returns what is on the board as a new study: the game or the moves that were tried, and the variation. */
  studyContent() {
    const { path, frame } = this;
    const main = /** @type {PathNode[]} */ (path.game ?? path.nodes);
    const nodes = main.slice(1).map(({ ply }, index) => ({ parent: index, move: ply?.move ?? "" }));
    if (path.branch !== null)
      path.nodes.slice(path.branch + 1).forEach(({ ply }, index) => {
        const parent = index ? nodes.length : /** @type {number} */ (path.branch);
        nodes.push({ parent, move: ply?.move ?? "" });
      });
    const start = main[0].text;
    const chapter = { title: t("study.chapter", { n: 1 }), options: this.query.options, start, nodes: [{}, ...nodes] };
    return { title: gameName(frame.game, frame.title), game: frame.game, chapters: [chapter] };
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
      ...this.saved?.keys,
    };
    runKey(event, this.lesson ? flip : { ...flip, ...steps });
  }
}
