// A study on the page of the analysis: its moves, comments and drawings, its title, chapters and who may see it. What
// its owner changes is saved after a moment; others can try moves, which are not kept, and copy it.

import { Tree } from "../analysis/tree.js";
import { button, confirmButton, field, inputField, select } from "../components.js";
import { ask, errorText, go, h, sentence, signedIn, svg, t, tCount } from "../page.js";
import { COLOURS, Pen, drawShapes, shapeName, signPath, toggled } from "../shapes.js";
import { StudyMoves } from "./moves.js";

/** @import { Board } from "../board.js" */
/** @import { StoredNode } from "../analysis/tree.js" */
/** @import { Shared } from "../share.js" */
/** @typedef {{ title: string, options?: string, nodes: StoredNode[] }} Chapter */
/**
 * @typedef {{ id: string, title: string, game: string, visibility: string, version: number, owner?: string, mine?:
 *   boolean, chapters: Chapter[] }} StudyView
 */

const SAVE_MS = 900;
const VISIBILITIES = ["private", "link", "public"];

/** The last save that was begun: who reads a study waits for it. @type {Promise<void>} */
let lastSave = Promise.resolve();

/** Waits until what was changed on a page that was left is saved. */
export const saves = () => lastSave;

export class SavedStudy {
  /** @param {StudyView} view @param {number} chapter */
  constructor(view, chapter) {
    this.view = view;
    this.number = chapter;
    this.mine = view.mine === true;
    this.tree = new Tree(view.chapters[chapter].nodes);
    this.version = view.version;
    this.timer = 0;
    this.dirty = false;
    /** @type {Promise<void>} */
    this.saving = Promise.resolve();
    /** @type {Board | null} */
    this.board = null;
    /** @type {Pen | null} */
    this.pen = null;
    this.status = h("p.dim.saved", { role: "status" }, this.mine ? t("study.saved") : "");
    this.shapeList = h("p.unseen");
    this.comment = h("textarea", {
      rows: 3,
      maxlength: 2000,
      placeholder: t("study.comment.how"),
      input: () => this.write(this.comment.value),
    });
    this.said = h("p.said.whole");
    this.titleText = h("strong", view.title);
    this.drawButton = h(
      "button.quiet",
      { "aria-pressed": "false", click: () => this.toggleDrawing() },
      t("study.draw"),
    );
    this.removeButton = confirmButton(
      "study.remove",
      () => this.removalQuestion(),
      () => this.removeMove(),
    );
    this.promoteButton = button("study.promote", () => this.promote());
    this.copyButton = button("study.copy", () => this.copy(), this.mine ? "quiet" : "button");
    this.element = h(
      "section.study",
      { "aria-label": t("study.label") },
      this.mine ? field(t("study.comment"), this.comment) : this.said,
      this.drawTools(),
      this.shapeList,
      h("div.actions", this.mine && this.promoteButton, this.mine && this.removeButton, this.copyButton),
      !this.mine && h("p.dim", t(signedIn() ? "study.others" : "study.sign-in")),
      this.status,
    );
    this.keys = { d: () => this.toggleDrawing() };
    this.closing = () => this.sendNow();
    addEventListener("pagehide", this.closing);
  }

  /** Returns the list of moves. @param {{ jump: () => unknown, pass: () => unknown }} owner */
  movePanel(owner) {
    this.jump = owner.jump;
    this.moves = new StudyMoves(this.tree, owner);
    return this.moves;
  }

  /** @param {Board} board */
  attach(board) {
    this.board = board;
    this.pen = new Pen(board, (shape) => {
      this.tree.node.shapes = toggled(this.tree.node.shapes, shape);
      this.showShapes();
      this.changed();
    });
  }

  leave() {
    removeEventListener("pagehide", this.closing);
    this.flush().catch(() => {});
  }

  /** Returns the choice of colours, and the buttons for drawing without a right mouse button. */
  drawTools() {
    const picks = COLOURS.map((colour, index) => {
      const radio = h("input", {
        type: "radio",
        name: "colour",
        value: colour,
        checked: index === 0,
        "aria-label": t(`shape.${colour}`),
        change: () => this.pen && (this.pen.colour = colour),
      });
      const sign = svg("svg", { viewBox: "-50 -50 100 100", "aria-hidden": "true", class: `shape ${colour}` });
      const d = signPath(colour, 0, 0);
      sign.append(svg("path.border", { d }), svg("path.core", { d }));
      return h("label.pick", { title: t(`shape.${colour}`) }, radio, h("span", sign));
    });
    const clear = () => {
      this.tree.node.shapes = [];
      this.showShapes();
      this.changed();
    };
    this.clearButton = button("study.clear", clear);
    return h(
      "fieldset.drawn",
      h("legend", t("study.drawings")),
      h("div.row", this.drawButton, ...picks, this.clearButton),
      h("p.dim", t("study.draw.how")),
    );
  }

  toggleDrawing() {
    if (!this.pen) return;
    this.pen.turn(!this.pen.on);
    this.drawButton.setAttribute("aria-pressed", String(this.pen.on));
  }

  /** Shows what belongs to the current position. */
  show() {
    const { node } = this.tree;
    if (document.activeElement !== this.comment || this.comment.value.trim() !== node.comment)
      this.comment.value = node.comment;
    this.said.textContent = node.comment;
    this.said.hidden = !node.comment;
    this.removeButton.hidden = !node.parent;
    this.promoteButton.hidden = this.tree.isMain(node);
    this.showShapes();
  }

  showShapes() {
    const { board } = this;
    if (!board) return;
    const { shapes } = this.tree.node;
    drawShapes(board, shapes);
    this.shapeList.textContent = shapes.map((shape) => shapeName(board, shape)).join(t("comma"));
    if (this.clearButton) this.clearButton.hidden = !shapes.length;
  }

  /** @param {string} text */
  write(text) {
    this.tree.node.comment = text.trim();
    this.moves?.draw();
    this.moves?.show(null, !this.moves.pass.hidden);
    this.changed();
  }

  /** Asks before several moves are lost. */
  removalQuestion() {
    const lost = this.tree.all(this.tree.node).length;
    return lost > 3 && tCount("study.remove.sure", lost);
  }

  removeMove() {
    this.tree.remove(this.tree.node);
    this.changed();
    return this.jump?.();
  }

  promote() {
    this.tree.promote(this.tree.node);
    this.changed();
    return this.jump?.();
  }

  async copy() {
    if (!signedIn()) return go(`/account?next=${encodeURIComponent(location.pathname)}`);
    await this.flush();
    const { id } = await ask(`/api/studies/${this.view.id}/copy`, {});
    return go(`/study/${id}`);
  }

  /** Saves after a moment; what others try is not saved. */
  changed() {
    if (!this.mine) return;
    this.dirty = true;
    this.status.textContent = t("study.saving");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush().catch(() => {}), SAVE_MS);
  }

  /** Returns the study as it is stored. */
  content() {
    const { title, game, visibility, chapters } = this.view;
    return {
      title,
      game,
      visibility,
      chapters: chapters.map(({ title, options, nodes }, number) => ({
        title,
        ...(options && { options }),
        start: nodes[0].text,
        nodes: number === this.number ? this.tree.stored() : nodes.map(({ text: _text, side: _side, ...node }) => node),
      })),
    };
  }

  /** Saves at once what is not saved yet. */
  flush() {
    clearTimeout(this.timer);
    lastSave = this.saving = this.saving.then(() => this.send());
    return this.saving;
  }

  async send() {
    if (!this.dirty) return;
    this.dirty = false;
    try {
      this.version = await ask(`/api/studies/${this.view.id}`, { sent: this.content(), version: this.version });
      this.status.textContent = t(this.dirty ? "study.saving" : "study.saved");
      this.status.classList.remove("wrong");
    } catch (error) {
      this.dirty = true;
      this.status.textContent = sentence(errorText(error));
      this.status.classList.add("wrong");
    }
  }

  /** Saves while the page is being closed. */
  sendNow() {
    if (!this.dirty) return;
    const body = JSON.stringify({ sent: this.content(), version: this.version });
    const headers = { "Content-Type": "application/json", "X-Ludus": "1" };
    fetch(`/api/studies/${this.view.id}`, { method: "POST", headers, body, keepalive: true }).catch(() => {});
  }

  /** Returns the paths under which the current position is shared. @returns {Shared} */
  files() {
    const { view, number, tree } = this;
    const place = new URLSearchParams({ chapter: String(number), node: String(tree.numberOf(tree.node)) });
    const chapter = number ? `?chapter=${number}` : "";
    return {
      link: `/study/${view.id}${chapter}`,
      record: `/api/studies/${view.id}/record${chapter}`,
      png: `/api/studies/${view.id}/picture.png?${place}`,
      gif: `/api/studies/${view.id}/animation.gif${chapter}`,
      ...(view.visibility === "private"
        ? { note: t("study.private.note") }
        : { embed: `/embed/study/${view.id}${chapter}` }),
    };
  }

  /** Returns the head of the page: title, owner, who may see it, and the chapters. */
  header() {
    const { view, mine } = this;
    const visibility = select(
      VISIBILITIES.map((name) => [name, t(`study.visibility.${name}`)]),
      view.visibility,
      { "aria-label": t("study.visibility") },
      (chosen) => {
        view.visibility = chosen;
        this.changed();
        return this.flush();
      },
    );
    const title = inputField(t("study.title"), {
      value: view.title,
      maxlength: 80,
      required: true,
      change: (/** @type {Event} */ event) => this.rename(/** @type {HTMLInputElement} */ (event.target)),
    });
    const { list, fields } = this.chapterList();
    return h(
      "div.study-head",
      h("div.what", this.titleText, h("span.dim", mine ? "" : (view.owner ?? ""))),
      list,
      mine && h("details.settings", h("summary", t("study.settings")), title, visibility, ...fields),
    );
  }

  /** @param {HTMLInputElement} input */
  rename(input) {
    if (!input.value.trim()) return void (input.value = this.view.title);
    this.view.title = input.value.trim();
    this.titleText.textContent = this.view.title;
    document.title = `${this.view.title} · Ludus`;
    this.changed();
  }

  /** Returns the list of chapters, where there are some, and the fields and buttons to change them. */
  chapterList() {
    const { view, number } = this;
    const address = (/** @type {number} */ index) => `/study/${view.id}${index ? `?chapter=${index}` : ""}`;
    const links = view.chapters.map(({ title }, index) =>
      h("li", h("a", { href: address(index), "aria-current": index === number ? "page" : null }, title)),
    );
    const add = async () => {
      view.chapters.push({
        title: t("study.chapter", { n: view.chapters.length + 1 }),
        options: view.chapters[number].options,
        nodes: [{ text: this.tree.node.text, side: this.tree.node.side }],
      });
      this.changed();
      await this.flush();
      go(address(view.chapters.length - 1));
    };
    const drop = async () => {
      view.chapters.splice(number, 1);
      this.number = -1; // its tree is gone
      this.changed();
      await this.flush();
      go(address(0));
    };
    const rename = (/** @type {Event} */ event) => {
      const input = /** @type {HTMLInputElement} */ (event.target);
      if (!input.value.trim()) return void (input.value = view.chapters[number].title);
      links[number].firstElementChild?.replaceChildren((view.chapters[number].title = input.value.trim()));
      this.changed();
    };
    const several = view.chapters.length > 1;
    const fields = [
      inputField(t("study.chapter.title"), { value: view.chapters[number].title, maxlength: 80, change: rename }),
      h(
        "div.actions",
        button("study.chapter.add", add),
        several && confirmButton("study.chapter.remove", () => t("study.chapter.remove.sure"), drop),
        confirmButton(
          "study.delete",
          () => t("study.delete.sure"),
          () => this.delete(),
        ),
      ),
    ];
    return { list: several && h("nav", { "aria-label": t("study.chapters") }, h("ol", ...links)), fields };
  }

  async delete() {
    this.dirty = false;
    clearTimeout(this.timer);
    await ask(`/api/studies/${this.view.id}/remove`, {});
    go("/studies");
  }
}
