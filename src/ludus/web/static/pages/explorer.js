// The search explorer: the tree of a real search on a position, as a picture, as an outline and step by step, with the
// reason for every cut. Knows no rules and searches nothing: the server sends the tree.

import { PositionCache, positionQuery } from "../analysis/engine.js";
import { Board } from "../board.js";
import { gameChoices, radioGroup, select } from "../components.js";
import { countParts } from "../explorer/counts.js";
import { SearchMap } from "../explorer/map.js";
import { Outline } from "../explorer/outline.js";
import { StepControls } from "../explorer/steps.js";
import { Tree, valueText } from "../explorer/tree.js";
import { describeNode, describeStep } from "../explorer/words.js";
import { loadLook } from "../look.js";
import { announce, ask, errorText, gameName, go, h, initialGame, loadAssets, sideMark, sideName, t } from "../page.js";
import { runKey } from "../replay.js";

/** @import { Study } from "../analysis/engine.js" */
/** @import { Look } from "../board.js" */
/** @import { Game } from "../page.js" */

const METHODS = ["minimax", "alphabeta", "ordering"];
const BOARD_DELAY_MS = 70; // someone who steps quickly through the tree needs no board on the way

class ExplorerPage {
  /**
   * @param {HTMLElement} main @param {Study} study @param {Look} look
   * @param {Game[]} games @param {Record<string, number>} depths how deep each method may go here
   * @param {string} method @param {number} depth
   */
  constructor(main, study, look, games, depths, method, depth) {
    this.study = study;
    this.depths = depths;
    this.method = method;
    this.depth = depth;
    this.query = { game: study.frame.game, options: study.options ?? "", text: study.start.text };
    /** @type {Tree | null} */
    this.tree = null;
    this.node = 0;
    this.step = 0;
    /** Counts searches: an answer to an earlier one is dropped. */
    this.turn = 0;
    this.boardTimer = 0;
    /** The node whose board is shown. */
    this.boardNode = 0;
    this.positions = new PositionCache();
    const name = gameName(study.frame.game, study.frame.title);
    document.title = `${t("explorer.title")}: ${name} · Ludus`;
    this.names = /** @type {[string, string]} */ (study.frame.sides.map(sideName));
    this.board = new Board(study.frame, look);
    this.board.set(study.start.board);
    this.map = new SearchMap({
      onSelect: (node) => this.selectNode(node),
      onHover: (node) => this.describePointed(node),
    });
    this.outline = new Outline({
      onSelect: (node) => this.selectNode(node),
      onHover: (node) => this.previewNode(node),
    });
    this.steps = new StepControls({ goTo: (step) => this.goToStep(step), nextCut: () => this.goToCut() });
    this.pointedText = h("span.pointed");
    this.words = h("div.words", { role: "status" });
    this.counts = h("section.counts", { "aria-label": t("counts.title") });
    this.result = h("div.result");
    this.pathRow = h("p.trail");
    this.body = h("div.searched", { hidden: true });
    this.depthChoice = h("div.deep");
    this.build(main, games);
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.search();
  }

  /** @param {HTMLElement} main @param {Game[]} games */
  build(main, games) {
    const { game } = this.study.frame;
    const changeGame = (/** @type {string} */ name) => go(`/explorer?game=${name}`);
    const methods = METHODS.map((one) => [one, t(`method.${one}`)]);
    const changeMethod = (/** @type {string} */ value) => {
      this.method = value;
      this.drawDepths();
      this.search();
    };
    this.body.append(
      h(
        "section.atlas",
        { "aria-label": t("map.title") },
        this.map.canvas,
        h("div.legend", ...this.legend(), this.pointedText),
      ),
      this.steps.element,
      h(
        "div.columns",
        h("section.focus", { "aria-label": t("explorer.node") }, this.board.element, this.pathRow, this.words),
        h("section.branches", h("h2", t("outline.title")), this.outline.element),
        this.counts,
      ),
    );
    this.drawDepths();
    main.className = "explorer";
    main.append(
      h(
        "div.heading",
        h("div", h("h1", t("explorer.title")), h("p.dim", t("explorer.lead"))),
        h(
          "div.wishes",
          select(gameChoices(games), game, { "aria-label": t("play.game") }, changeGame),
          h("a.quiet", { href: `/analysis?${positionQuery(this.query)}` }, t("explorer.back")),
        ),
      ),
      h(
        "div.settings",
        radioGroup("segments", "method", t("explorer.method"), methods, this.method, changeMethod),
        this.depthChoice,
      ),
      this.result,
      this.body,
    );
  }

  /** Draws the depths that the method can search from this position. */
  drawDepths() {
    const most = Math.max(1, this.depths[this.method] ?? 1);
    this.depth = Math.min(this.depth, most);
    const depths = Array.from({ length: most }, (_, index) => [String(index + 1), String(index + 1)]);
    const change = (/** @type {string} */ value) => {
      this.depth = Number(value);
      this.search();
    };
    this.depthChoice.replaceChildren(
      radioGroup("segments", "depth", t("explorer.depth"), depths, String(this.depth), change),
    );
  }

  legend() {
    const own = this.study.start.side;
    const spot = (/** @type {string} */ kind, /** @type {string} */ words) =>
      h("span.spot", h("i", { class: kind, "aria-hidden": "true" }), words);
    return [
      spot(`good side${own}`, t("map.good", { side: this.names[own] })),
      spot(`good side${1 - own}`, t("map.bad", { side: this.names[1 - own] })),
      spot("blank", t("map.blank")),
    ];
  }

  leave() {
    this.steps.pause();
    clearTimeout(this.boardTimer);
    this.turn += 1;
    this.map.leave();
    document.removeEventListener("keydown", this.keys);
  }

  async search() {
    const mine = ++this.turn;
    this.steps.pause();
    const asked = `${positionQuery(this.query)}&method=${this.method}&depth=${this.depth}`;
    history.replaceState(null, "", `/explorer?${asked}`);
    this.result.replaceChildren(h("p.dim.waiting", { role: "status" }, t("explorer.searching")));
    try {
      const data = await ask(`/api/searches?${asked}`);
      if (mine !== this.turn) return;
      const tree = (this.tree = new Tree(data));
      this.result.replaceChildren();
      this.body.hidden = false;
      this.map.show(tree);
      this.outline.show(tree);
      const { start } = this.study;
      this.counts.replaceChildren(...countParts(tree, Boolean(start.scores), this.names[start.side]));
      this.step = tree.last;
      this.selectNode(0);
      announce(t("explorer.found", { n: data.nodes, move: data.move, value: valueText(data.values[0]) }));
    } catch (error) {
      if (mine !== this.turn) return;
      this.body.hidden = true;
      this.result.replaceChildren(h("div.refused", { role: "alert" }, h("p", errorText(error)), this.lessButton()));
    }
  }

  /** Returns a button for a search that is less deep. */
  lessButton() {
    if (this.depth === 1 || this.study.position.outcome) return null;
    const less = this.depth - 1;
    const href = `/explorer?${positionQuery(this.query)}&method=${this.method}&depth=${less}`;
    return h("a.button", { href }, t("explorer.less", { n: less }));
  }

  /** Selects a node. @param {number} node */
  selectNode(node) {
    this.node = node;
    this.outline.select(node);
    this.draw();
  }

  /** Goes to a step of the search and selects its node. @param {number} step */
  goToStep(step) {
    const { tree } = this;
    if (!tree) return;
    this.step = Math.max(0, Math.min(tree.last, step));
    const event = tree.steps[this.step];
    this.node = event >= 0 ? event : -event - 1;
    this.outline.step = -1;
    this.outline.select(this.node, true);
    this.draw();
    if (this.step === tree.last) this.steps.pause();
  }

  goToCut() {
    const found = this.tree?.nextCut(this.step === this.tree.last ? -1 : this.step) ?? null;
    if (found !== null) this.goToStep(found);
    else this.steps.text.textContent = t("steps.nocut");
  }

  /** Draws everything for the current node and step. */
  draw() {
    const { tree, node, step } = this;
    if (!tree) return;
    const context = {
      tree,
      names: this.names,
      scored: Boolean(this.study.start.scores),
      go: (/** @type {number} */ other) => this.selectNode(other),
    };
    this.outline.setStep(step);
    this.map.set(step, node);
    const isEnd = step === tree.last && !this.steps.playing;
    this.steps.show(step, tree.last, isEnd ? t("steps.hint") : describeStep(context, step));
    this.words.replaceChildren(...describeNode(context, node, step));
    const path = tree.path(node);
    this.pathRow.replaceChildren(
      ...path.map((one, index) =>
        h(
          "button.way",
          { "aria-current": index === path.length - 1 ? "true" : null, click: () => this.selectNode(one) },
          ...(one ? [sideMark(tree.data.sides[tree.data.parents[one]]), tree.data.moves[one]] : [t("outline.root")]),
        ),
      ),
    );
    this.previewNode(null);
  }

  /** Shows the board of the node under the pointer, or else of the selected node. @param {number | null} node */
  previewNode(node) {
    clearTimeout(this.boardTimer);
    this.boardTimer = setTimeout(() => this.drawBoard(node ?? this.node), BOARD_DELAY_MS);
  }

  /** @param {number} node */
  async drawBoard(node) {
    if (!this.tree) return;
    this.boardNode = node;
    const study = await this.positions.fetch(this.query, this.tree.movesTo(node)).catch(() => null);
    if (!study || node !== this.boardNode) return;
    this.board.set(study.position.board);
    this.board.markLast(study.plies?.at(-1));
  }

  /** Describes the node under the pointer. @param {number | null} node */
  describePointed(node) {
    const { tree } = this;
    this.previewNode(node);
    if (node === null || !tree || tree.comes[node] > this.step) this.pointedText.textContent = "";
    else {
      const moves = tree.movesTo(node).join(" ") || t("outline.root");
      this.pointedText.textContent = `${moves}: ${tree.bound(node)}${valueText(tree.data.values[node])}`;
    }
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    runKey(event, {
      ArrowRight: () => this.goToStep(this.step + 1),
      ArrowLeft: () => this.goToStep(this.step - 1),
      Home: () => this.goToStep(0),
      End: () => this.goToStep(this.tree?.last ?? 0),
      " ": () => this.steps.togglePlaying(),
    });
  }
}

/** @param {HTMLElement} main */
export async function show(main) {
  const asked = new URLSearchParams(location.search);
  const [games] = await Promise.all([ask("/api/games"), loadAssets("explorer")]);
  const query = new URLSearchParams({ game: initialGame(games) });
  for (const name of ["game", "options", "position"]) if (asked.get(name)) query.set(name, asked.get(name) ?? "");
  const method = METHODS.find((one) => one === asked.get("method")) ?? "alphabeta";
  const depth = /^[1-9]$/.test(asked.get("depth") ?? "") ? Number(asked.get("depth")) : 3;
  const [study, depths] = await Promise.all([ask(`/api/positions?${query}`), ask(`/api/searches/depths?${query}`)]);
  const page = new ExplorerPage(main, study, await loadLook(study.frame.game), games, depths, method, depth);
  return () => page.leave();
}
