// The search explorer: the tree of a real search on a position, as a picture, as an outline and step by step, with the
// reason for everything that was cut. Knows no rules and searches nothing: the server gives the tree.

import { query } from "../analysis/thinker.js";
import { Board, lookOf } from "../board.js";
import { Outline } from "../explorer/outline.js";
import { SearchMap } from "../explorer/map.js";
import { Tree, written } from "../explorer/tree.js";
import { nodeWords, stepWords } from "../explorer/words.js";
import { Refusal, ask, dress, gameName, go, h, say, sideMark, sideName, sign, t } from "../page.js";

/** @typedef {import("../analysis/editor.js").Study} Study */

const METHODS = ["minimax", "alphabeta", "ordering"];
const PACES = [700, 220, 60];
const CALM_MS = 70; // who runs through the tree needs no board on the way

class ExplorerPage {
  /**
   * @param {HTMLElement} main @param {Study} study @param {import("../board.js").Look} look @param
   * {import("../page.js").Game[]} games @param {Record<string, number>} depths how deep each method may go here @param
   * {string} method @param {number} depth
   */
  constructor(main, study, look, games, depths, method, depth) {
    this.study = study;
    this.depths = depths;
    this.method = method;
    this.depth = depth;
    this.place = { game: study.frame.game, options: study.options ?? "", text: study.start.text };
    /** @type {Tree | null} */
    this.tree = null;
    this.node = 0;
    this.step = 0;
    this.pace = 0;
    this.turn = 0;
    this.playing = 0;
    this.waiting = 0;
    /** The node whose board is shown. */
    this.drawn = 0;
    /** @type {Map<string, Promise<Study>>} */
    this.known = new Map();
    const name = gameName(study.frame.game, study.frame.title);
    document.title = `${t("explorer.title")}: ${name} · Ludus`;
    this.names = /** @type {[string, string]} */ (study.frame.sides.map(sideName));
    this.board = new Board(study.frame, look);
    this.board.set(study.start.board);
    this.map = new SearchMap({ go: (node) => this.choose(node), told: (node) => this.point(node) });
    this.outline = new Outline({ chosen: (node) => this.choose(node), hovered: (node) => this.glance(node) });
    this.pointed = h("span", { class: "pointed" });
    this.words = h("div", { class: "words", role: "status" });
    this.happens = h("p", { class: "happens", role: "status" });
    this.counts = h("section", { class: "counts", "aria-label": t("counts.title") });
    this.slider = /** @type {HTMLInputElement} */ (
      h("input", {
        type: "range",
        min: 0,
        max: 0,
        value: 0,
        "aria-label": t("steps.slider"),
        input: () => this.goto(Number(this.slider.value)),
      })
    );
    this.number = h("output", { class: "number-of" });
    this.toggle = h("button", { type: "button", class: "button roll", click: () => this.roll() }, t("steps.play"));
    this.result = h("div", { class: "result" });
    this.trail = h("p", { class: "trail" });
    this.body = h("div", { class: "searched", hidden: true });
    this.deep = h("div", { class: "deep" });
    this.build(main, name, games);
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.search();
  }

  /** @param {HTMLElement} main @param {string} name @param {import("../page.js").Game[]} games */
  build(main, name, games) {
    const button = (
      /** @type {"first" | "back" | "next" | "last"} */ picture,
      /** @type {string} */ key,
      /** @type {() => void} */ work,
    ) =>
      h("button", { type: "button", class: "quiet", "aria-label": t(key), title: t(key), click: work }, sign(picture));
    const other = h(
      "select",
      {
        "aria-label": t("play.game"),
        change: (/** @type {Event} */ event) =>
          go(`/explorer?game=${/** @type {HTMLSelectElement} */ (event.target).value}`),
      },
      ...games.map((game) =>
        h(
          "option",
          { value: game.name, selected: game.name === this.study.frame.game },
          gameName(game.name, game.title),
        ),
      ),
    );
    const stepping = h(
      "section",
      { class: "stepping", "aria-label": t("steps.title") },
      h(
        "div",
        { class: "buttons" },
        button("first", "steps.first", () => this.goto(0)),
        button("back", "steps.back", () => this.goto(this.step - 1)),
        this.toggle,
        button("next", "steps.next", () => this.goto(this.step + 1)),
        button("last", "steps.last", () => this.goto(this.tree?.last ?? 0)),
        h(
          "button",
          { type: "button", class: "quiet cutter", click: () => this.cut(1) },
          h("span", { "aria-hidden": "true" }, "✂"),
          t("steps.cut"),
        ),
        h(
          "label",
          { class: "pace" },
          t("steps.pace"),
          h(
            "select",
            {
              change: (/** @type {Event} */ event) =>
                this.hurry(/** @type {HTMLSelectElement} */ (event.target).selectedIndex),
            },
            ...["slow", "brisk", "fast"].map((key) => h("option", {}, t(`pace.${key}`))),
          ),
        ),
        this.number,
      ),
      this.slider,
      this.happens,
    );
    this.body.append(
      h(
        "section",
        { class: "atlas", "aria-label": t("map.title") },
        this.map.canvas,
        h("div", { class: "legend" }, ...this.legend(), this.pointed),
      ),
      stepping,
      h(
        "div",
        { class: "columns" },
        h("section", { class: "focus", "aria-label": t("explorer.node") }, this.board.element, this.trail, this.words),
        h("section", { class: "branches" }, h("h2", {}, t("outline.title")), this.outline.element),
        this.counts,
      ),
    );
    this.offer();
    main.className = "explorer";
    main.append(
      h(
        "div",
        { class: "heading" },
        h("div", {}, h("h1", {}, t("explorer.title")), h("p", { class: "dim" }, t("explorer.lead"))),
        h(
          "div",
          { class: "wishes" },
          other,
          h("a", { class: "quiet", href: `/analysis?${query(this.place)}` }, t("explorer.back")),
        ),
      ),
      h(
        "div",
        { class: "settings" },
        this.choices(
          "method",
          t("explorer.method"),
          METHODS.map((one) => [one, t(`method.${one}`)]),
          this.method,
          (value) => ((this.method = value), this.offer()),
        ),
        this.deep,
      ),
      this.result,
      this.body,
    );
  }

  /** Offers the depths that the method can go to in this position. */
  offer() {
    const most = Math.max(1, this.depths[this.method] ?? 1);
    this.depth = Math.min(this.depth, most);
    const all = Array.from({ length: most }, (_, index) => String(index + 1));
    this.deep.replaceChildren(
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
      "fieldset",
      { class: "segments" },
      h("legend", {}, legend),
      h(
        "div",
        {},
        ...all.map(([value, words]) =>
          h(
            "label",
            {},
            h("input", {
              type: "radio",
              name,
              value,
              checked: value === chosen,
              change: () => (changed(value), this.search()),
            }),
            h("span", {}, words),
          ),
        ),
      ),
    );
  }

  legend() {
    const own = this.study.start.side;
    const spot = (/** @type {string} */ kind, /** @type {string} */ words) =>
      h("span", { class: "spot" }, h("i", { class: kind, "aria-hidden": "true" }), words);
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
    this.rest();
    const asked = `${query(this.place)}&method=${this.method}&depth=${this.depth}`;
    history.replaceState(null, "", `/explorer?${asked}`);
    this.result.replaceChildren(h("p", { class: "dim waiting", role: "status" }, t("explorer.searching")));
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
      this.choose(0);
      say(t("explorer.found", { n: data.nodes, move: data.move, value: written(data.values[0]) }));
    } catch (error) {
      if (mine !== this.turn) return;
      this.body.hidden = true;
      const less =
        this.depth > 1 &&
        !this.study.position.outcome &&
        h(
          "button",
          {
            type: "button",
            class: "button",
            click: () => go(`/explorer?${query(this.place)}&method=${this.method}&depth=${this.depth - 1}`),
          },
          t("explorer.less", { n: this.depth - 1 }),
        );
      this.result.replaceChildren(
        h(
          "div",
          { class: "refused", role: "alert" },
          h("p", {}, error instanceof Refusal ? error.message : t("offline")),
          less,
        ),
      );
      if (!(error instanceof Refusal)) console.error(error);
    }
  }

  drawCounts() {
    const { counts, nodes, method } = /** @type {Tree} */ (this.tree).data;
    const all = counts.minimax;
    const most = Math.max(1, ...Object.values(counts).map((count) => count ?? 0));
    const number = (/** @type {number} */ count) => count.toLocaleString(document.documentElement.lang);
    const saved = (/** @type {number} */ count) =>
      all === null ? "" : `${(100 * (1 - count / all)).toFixed(count / all < 0.01 ? 2 : 1)}%`;
    this.counts.replaceChildren(
      h("h2", {}, t("counts.title")),
      h(
        "p",
        { class: "saying" },
        method === "minimax" || all === null
          ? t("counts.only", { method: t(`method.${method}`), n: number(nodes) })
          : t("counts.saved", {
              all: number(all),
              method: t(`method.${method}`),
              n: number(nodes),
              saved: saved(nodes),
            }),
      ),
      h(
        "dl",
        {},
        ...Object.entries(counts).flatMap(([name, count]) => {
          const bar = h("span", { class: "bar" });
          bar.style.setProperty("--part", String((count ?? most) / most));
          return [
            h("dt", { class: name === method ? "used" : "" }, t(`method.${name}`)),
            h(
              "dd",
              { class: name === method ? "used" : "" },
              bar,
              h("span", { class: "tally" }, count === null ? t("counts.many") : number(count)),
              h("small", {}, count === null || name === "minimax" ? "" : t("counts.less", { saved: saved(count) })),
            ),
          ];
        }),
      ),
      h("p", { class: "dim" }, t("counts.same")),
      h(
        "details",
        {},
        h("summary", {}, t("explorer.how")),
        ...["how.minimax", "how.alpha", "how.order", this.study.start.scores ? "how.points" : "how.values"].map((key) =>
          h("p", {}, t(key, { side: this.names[this.study.start.side] })),
        ),
      ),
    );
  }

  /** Looks at a node. @param {number} node */
  choose(node) {
    this.node = node;
    this.outline.select(node);
    this.draw();
  }

  /** Goes to a step of the search: the node that it is at is looked at. @param {number} step */
  goto(step) {
    const { tree } = this;
    if (!tree) return;
    this.step = Math.max(0, Math.min(tree.last, step));
    const event = tree.steps[this.step];
    this.node = event >= 0 ? event : -event - 1;
    this.outline.step = -1;
    this.outline.select(this.node, true);
    this.draw();
    if (this.step === tree.last) this.rest();
  }

  /** @param {1 | -1} way */
  cut(way) {
    const from = this.tree && this.step === this.tree.last ? -1 : this.step;
    const found = this.tree?.cut(from, way) ?? null;
    if (found !== null) this.goto(found);
    else this.happens.textContent = t("steps.nocut");
  }

  roll() {
    if (this.playing) return this.rest();
    if (this.tree && this.step === this.tree.last) this.goto(0);
    this.toggle.textContent = t("steps.pause");
    this.playing = setInterval(() => this.goto(this.step + 1), PACES[this.pace]);
  }

  rest() {
    clearInterval(this.playing);
    this.playing = 0;
    this.toggle.textContent = t("steps.play");
  }

  /** @param {number} pace */
  hurry(pace) {
    this.pace = pace;
    if (!this.playing) return;
    this.rest();
    this.roll();
  }

  /** Draws everything for the node and the step. */
  draw() {
    const { tree, node, step } = this;
    if (!tree) return;
    const telling = {
      tree,
      names: this.names,
      scored: Boolean(this.study.start.scores),
      go: (/** @type {number} */ other) => this.choose(other),
    };
    const number = (/** @type {number} */ count) => count.toLocaleString(document.documentElement.lang);
    this.outline.at(step);
    this.map.set(step, node);
    this.slider.value = String(step);
    this.number.textContent = t("steps.number", { n: number(step + 1), of: number(tree.last + 1) });
    this.happens.textContent = step === tree.last && !this.playing ? t("steps.hint") : stepWords(telling, step);
    this.words.replaceChildren(...nodeWords(telling, node, step));
    const path = tree.path(node);
    this.trail.replaceChildren(
      ...path.map((one, index) =>
        h(
          "button",
          {
            type: "button",
            class: "way",
            "aria-current": index === path.length - 1 ? "true" : null,
            click: () => this.choose(one),
          },
          ...(one ? [sideMark(tree.data.sides[tree.data.parents[one]]), tree.data.moves[one]] : [t("outline.root")]),
        ),
      ),
    );
    this.glance(null);
  }

  /**
   * Shows the board of a node that is pointed at; without one, that of the node that is looked at.
   * @param {number | null} node
   */
  glance(node) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.drawBoard(node ?? this.node), CALM_MS);
  }

  /** @param {number} node */
  async drawBoard(node) {
    if (!this.tree) return;
    this.drawn = node;
    const asked = query(this.place, this.tree.movesTo(node));
    const known = this.known.get(asked) ?? ask(`/api/positions?${asked}`);
    if (this.known.size > 500) this.known.clear();
    this.known.set(asked, known);
    const study = await known.catch(() => null);
    if (!study || node !== this.drawn) return;
    const last = study.plies?.[study.plies.length - 1];
    this.board.set(study.position.board);
    this.board.last(last);
  }

  /** Says what is beneath the pointer. @param {number | null} node */
  point(node) {
    const { tree } = this;
    this.glance(node);
    this.pointed.textContent =
      node === null || !tree || tree.comes[node] > this.step
        ? ""
        : `${tree.movesTo(node).join(" ") || t("outline.root")}: ${tree.bound(node)}${written(tree.data.values[node])}`;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (
      target instanceof HTMLInputElement ||
      target instanceof HTMLSelectElement ||
      target instanceof HTMLButtonElement ||
      target instanceof HTMLAnchorElement
    )
      return;
    const work = {
      ArrowRight: () => this.goto(this.step + 1),
      ArrowLeft: () => this.goto(this.step - 1),
      Home: () => this.goto(0),
      End: () => this.goto(this.tree?.last ?? 0),
      " ": () => this.roll(),
    }[event.key];
    if (!work) return;
    event.preventDefault();
    work();
  }
}

/** @param {HTMLElement} main */
export async function show(main) {
  const asked = new URLSearchParams(location.search);
  const wish = new URLSearchParams({ game: "chain-reaction" });
  for (const name of ["game", "options", "position"]) if (asked.get(name)) wish.set(name, asked.get(name) ?? "");
  const method = METHODS.find((one) => one === asked.get("method")) ?? "alphabeta";
  const depth = /^[1-9]$/.test(asked.get("depth") ?? "") ? Number(asked.get("depth")) : 3;
  const [study, games, depths] = await Promise.all([
    ask(`/api/positions?${wish}`),
    ask("/api/games"),
    ask(`/api/searches/depths?${wish}`),
    dress("explorer"),
  ]);
  const page = new ExplorerPage(main, study, await lookOf(study.frame.game), games, depths, method, depth);
  return () => page.leave();
}
