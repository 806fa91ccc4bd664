// The guide of a person's first game: highlights what can be chosen, and says what it is, until the first moves are
// made or it is closed. Each game is guided once; the browser remembers that. Knows no rules.

import { button } from "./components.js";
import { fetchLesson, goalText } from "./lesson.js";
import { h, say, storage, t } from "./page.js";

/** @import { Board } from "./board.js" */
/** @import { Frame } from "./page.js" */

/** The moves of a person that are guided. */
const GUIDED_MOVES = 2;

export class Guide {
  /** @param {Frame} frame @param {Board} board */
  constructor(frame, board) {
    this.key = `guided.${frame.game}`;
    this.board = board;
    this.done = storage.read(this.key) !== null;
    this.element = h("div.guide", { hidden: true, role: "note" });
    if (!this.done) this.fill(frame);
  }

  /** @param {Frame} frame */
  async fill({ game, options }) {
    const lesson = await fetchLesson(game);
    const goal = goalText(lesson, options);
    this.element.replaceChildren(
      h("p", h("strong", lesson.hint ? say(lesson.hint) : t("guide.any"))),
      goal && h("p.dim", goal),
      button("guide.close", () => this.finish()),
    );
  }

  /**
   * Shows the guide if it is the person's turn, until they have made their first moves.
   * @param {boolean} turn @param {number} made their moves so far
   */
  show(turn, made) {
    if (!this.done && made >= GUIDED_MOVES) this.finish();
    const shown = turn && !this.done;
    this.element.hidden = !shown;
    this.board.element.classList.toggle("guided", shown);
  }

  finish() {
    this.done = true;
    storage.write(this.key, "yes");
    this.show(false, 0);
  }
}
