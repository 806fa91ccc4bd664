// The search explorer: the tree of a real search on a position, as a picture, as an outline and step by step, with the
// reason for every cut. Knows no rules and searches nothing: the server sends the tree.

import { positionQuery } from "../analysis/engine.js";
import { select } from "../components.js";
import { runKey, stepButton } from "../replay.js";
import { Board, loadLook } from "../board.js";
import { Outline } from "../explorer/outline.js";
import { SearchMap } from "../explorer/map.js";
import { Tree, valueText } from "../explorer/tree.js";
import { describeNode, describeStep } from "../explorer/words.js";
import {
  announce,
  ask,
  FIRST_GAME,
  gameName,
  go,
  h,
  loadAssets,
  numberText,
  RequestError,
  sideMark,
  sideName,
  t,
} from "../page.js";

/** @typedef {import("../analysis/editor.js").Study} Study */

const METHODS = ["minimax", "alphabeta", "ordering"];
const SPEEDS_MS = [700, 220, 60];
const BOARD_DELAY_MS = 70; // someone who steps quickly through the tree needs no board on the way

class ExplorerPage {
  /**
   * @param {HTMLElement} main @param {Study} study @param {import("../board.js").Look} look
   * @param {import("../page.js").Game[]} games @param {Record<string, number>} depths how deep each method may go here
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
    this.speed = 0;
    this.turn = 0;
    this.playing = 0;
    this.waiting = 0;
    /** The node whose board is shown. */
    this.boardNode = 0;
    /** @type {Map<string, Promise<Study>>} */
    this.studyCache = new Map();
    const name = gameName(study.frame.game, study.frame.title);
    document.title = `${t("explorer.title")}: ${name} · Ludus`;
    this.names = /** @type {[string, string]} */ (study.frame.sides.map(sideName));
    this.board = new Board(study.frame, look);
    this.board.set(study.start.board);
    this.map = new SearchMap({ go: (node) => this.selectNode(node), told: (node) => this.describeNode(node) });
    this.outline = new Outline({
      onSelect: (node) => this.selectNode(node),
      onHover: (node) => this.previewNode(node),
    });
    this.pointedText = h("span.pointed");
    this.words = h("div.words", { role: "status" });
    this.stepText = h("p.happens", { role: "status" });
    this.counts = h("section.counts", { "aria-label": t("counts.title") });
    this.slider = h("input", {
      type: "range",
      min: 0,
      max: 0,
      value: 0,
      "aria-label": t("steps.slider"),
      input: () => this.goToStep(Number(this.slider.value)),
    });
    this.number = h("output.number-of");
    this.toggle = h("button.button.roll", { click: () => this.togglePlaying() }, t("steps.play"));
    this.result = h("div.result");
    this.pathRow = h("p.trail");
    this.body = h("div.searched", { hidden: true });
    this.depthChoice = h("div.deep");
    this.build(main, games);
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.search();
  }

  /** @param {HTMLElement} main @param {import("../page.js").Game[]} games */
  build(main, games) {
    const { game } = this.study.frame;
    const gameSelect = select(
      games.map(({ name, title }) => [name, gameName(name, title)]),
      game,
      { "aria-label": t("play.game"), change: () => go(`/explorer?game=${gameSelect.value}`) },
    );
    const stepping = h(
      "section.stepping",
      { "aria-label": t("steps.title") },
      h(
        "div.buttons",
        stepButton("first", "steps.first", () => this.goToStep(0)),
        stepButton("back", "steps.back", () => this.goToStep(this.step - 1)),
        this.toggle,
        stepButton("next", "steps.next", () => this.goToStep(this.step + 1)),
        stepButton("last", "steps.last", () => this.goToStep(this.tree?.last ?? 0)),
        h(
          "button.quiet.cutter",
          { click: () => this.goToCut(1) },
          h("span", { "aria-hidden": "true" }, "✂"),
          t("steps.cut"),
        ),
        h(
          "label.pace",
          t("steps.pace"),
          h(
            "select",
            {
              change: (/** @type {Event} */ event) =>
                this.setSpeed(/** @type {HTMLSelectElement} */ (event.target).selectedIndex),
            },
            ...["slow", "brisk", "fast"].map((key) => h("option", t(`pace.${key}`))),
          ),
        ),
        this.number,
      ),
      this.slider,
      this.stepText,
    );
    this.body.append(
      h(
        "section.atlas",
        { "aria-label": t("map.title") },
        this.map.canvas,
        h("div.legend", ...this.legend(), this.pointedText),
      ),
      stepping,
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
          gameSelect,
          h("a.quiet", { href: `/analysis?${positionQuery(this.query)}` }, t("explorer.back")),
        ),
      ),
      h(
        "div.settings",
        this.choices(
          "method",
          t("explorer.method"),
          METHODS.map((one) => [one, t(`method.${one}`)]),
          this.method,
          (value) => ((this.method = value), this.drawDepths()),
        ),
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
    const all = Array.from({ length: most }, (_, index) => String(index + 1));
    this.depthChoice.replaceChildren(
      this.choices(
        "depth",
        t("explorer.depth"),
        all.map((one) => [one, one]),
        String(this.depth),
        (value) => (this.depth = Number(value)),
      ),
    );
  }

  /**
   * @param {string} name @param {string} legend @param {string[][]} all @param {string} chosen @param {(value: string)
   * => void} changed
   */
  choices(name, legend, all, chosen, changed) {
    return h(
      "fieldset.segments",
      h("legend", legend),
      h(
        "div",
        ...all.map(([value, words]) =>
          h(
            "label",
            h("input", {
              type: "radio",
              name,
              value,
              checked: value === chosen,
              change: () => (changed(value), this.search()),
            }),
            h("span", words),
          ),
        ),
      ),
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
    clearInterval(this.playing);
    clearTimeout(this.waiting);
    this.turn += 1;
    this.map.leave();
    document.removeEventListener("keydown", this.keys);
  }

  async search() {
    const mine = ++this.turn;
    this.pause();
    const asked = `${positionQuery(this.query)}&method=${this.method}&depth=${this.depth}`;
    history.replaceState(null, "", `/explorer?${asked}`);
    this.result.replaceChildren(h("p.dim.waiting", { role: "status" }, t("explorer.searching")));
    try {
      const data = await ask(`/api/searches?${asked}`);
      if (mine !== this.turn) return;
      this.tree = new Tree(data);
      this.result.replaceChildren();
      this.body.hidden = false;
      this.map.show(this.tree);
      this.outline.show(this.tree);
      this.slider.max = String(this.tree.last);
      this.drawCounts();
      this.step = this.tree.last;
      this.selectNode(0);
      announce(t("explorer.found", { n: data.nodes, move: data.move, value: valueText(data.values[0]) }));
    } catch (error) {
      if (mine !== this.turn) return;
      this.body.hidden = true;
      const less =
        this.depth > 1 &&
        !this.study.position.outcome &&
        h(
          "button.button",
          { click: () => go(`/explorer?${positionQuery(this.query)}&method=${this.method}&depth=${this.depth - 1}`) },
          t("explorer.less", { n: this.depth - 1 }),
        );
      this.result.replaceChildren(
        h("div.refused", { role: "alert" }, h("p", error instanceof RequestError ? error.message : t("offline")), less),
      );
      if (!(error instanceof RequestError)) console.error(error);
    }
  }

  drawCounts() {
    const { counts, nodes, method } = /** @type {Tree} */ (this.tree).data;
    const all = counts.minimax;
    const most = Math.max(1, ...Object.values(counts).map((count) => count ?? 0));
    const saved = (/** @type {number} */ count) =>
      all === null ? "" : `${(100 * (1 - count / all)).toFixed(count / all < 0.01 ? 2 : 1)}%`;
    this.counts.replaceChildren(
      h("h2", t("counts.title")),
      h(
        "p.saying",
        method === "minimax" || all === null
          ? t("counts.only", { method: t(`method.${method}`), n: numberText(nodes) })
          : t("counts.saved", {
              all: numberText(all),
              method: t(`method.${method}`),
              n: numberText(nodes),
              saved: saved(nodes),
            }),
      ),
      h(
        "dl",
        ...Object.entries(counts).flatMap(([name, count]) => {
          const bar = h("span.bar");
          bar.style.setProperty("--part", String((count ?? most) / most));
          return [
            h("dt", { class: name === method ? "used" : "" }, t(`method.${name}`)),
            h(
              "dd",
              { class: name === method ? "used" : "" },
              bar,
              h("span.tally", count === null ? t("counts.many") : numberText(count)),
              h("small", count === null || name === "minimax" ? "" : t("counts.less", { saved: saved(count) })),
            ),
          ];
        }),
      ),
      h("p.dim", t("counts.same")),
      h(
        "details",
        h("summary", t("explorer.how")),
        ...["how.minimax", "how.alpha", "how.order", this.study.start.scores ? "how.points" : "how.values"].map((key) =>
          h("p", t(key, { side: this.names[this.study.start.side] })),
        ),
      ),
    );
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
    if (this.step === tree.last) this.pause();
  }

  /** @param {1 | -1} way */
  goToCut(way) {
    const from = this.tree && this.step === this.tree.last ? -1 : this.step;
    const found = this.tree?.nextCut(from, way) ?? null;
    if (found !== null) this.goToStep(found);
    else this.stepText.textContent = t("steps.nocut");
  }

  togglePlaying() {
    if (this.playing) return this.pause();
    if (this.tree && this.step === this.tree.last) this.goToStep(0);
    this.toggle.textContent = t("steps.pause");
    this.playing = setInterval(() => this.goToStep(this.step + 1), SPEEDS_MS[this.speed]);
  }

  pause() {
    clearInterval(this.playing);
    this.playing = 0;
    this.toggle.textContent = t("steps.play");
  }

  /** @param {number} pace */
  setSpeed(pace) {
    this.speed = pace;
    if (!this.playing) return;
    this.pause();
    this.togglePlaying();
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
    this.slider.value = String(step);
    this.number.textContent = t("steps.number", { n: numberText(step + 1), of: numberText(tree.last + 1) });
    this.stepText.textContent = step === tree.last && !this.playing ? t("steps.hint") : describeStep(context, step);
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
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.drawBoard(node ?? this.node), BOARD_DELAY_MS);
  }

  /** @param {number} node */
  async drawBoard(node) {
    if (!this.tree) return;
    this.boardNode = node;
    const asked = positionQuery(this.query, this.tree.movesTo(node));
    const known = this.studyCache.get(asked) ?? ask(`/api/positions?${asked}`);
    if (this.studyCache.size > 500) this.studyCache.clear();
    this.studyCache.set(asked, known);
    const study = await known.catch(() => null);
    if (!study || node !== this.boardNode) return;
    const last = study.plies?.[study.plies.length - 1];
    this.board.set(study.position.board);
    this.board.markLast(last);
  }

  /** Describes the node under the pointer. @param {number | null} node */
  describeNode(node) {
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
      " ": () => this.togglePlaying(),
    });
  }
}

/** @param {HTMLElement} main */
export async function show(main) {
  const asked = new URLSearchParams(location.search);
  const wish = new URLSearchParams({ game: FIRST_GAME });
  for (const name of ["game", "options", "position"]) if (asked.get(name)) wish.set(name, asked.get(name) ?? "");
  const method = METHODS.find((one) => one === asked.get("method")) ?? "alphabeta";
  const depth = /^[1-9]$/.test(asked.get("depth") ?? "") ? Number(asked.get("depth")) : 3;
  const [study, games, depths] = await Promise.all([
    ask(`/api/positions?${wish}`),
    ask("/api/games"),
    ask(`/api/searches/depths?${wish}`),
    loadAssets("explorer"),
  ]);
  const page = new ExplorerPage(main, study, await loadLook(study.frame.game), games, depths, method, depth);
  return () => page.leave();
}
