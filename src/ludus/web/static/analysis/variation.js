// The moves of a variation, the way back to the game, and the move without a cell (pass). Knows no board: its owner
// does what is chosen.

import { h, t } from "../page.js";
import { MoveList } from "../replay.js";

export class VariationPanel {
  /**
   * @param {boolean} inGame whether a game is under review
   * @param {{ jump: (ply: number) => unknown, leave: () => unknown, pass: () => unknown }} owner
   */
  constructor(inGame, owner) {
    this.list = new MoveList(owner.jump);
    this.back = h("button.quiet", { click: owner.leave }, t("aside.back"));
    this.box = h("div.tried", inGame && h("strong", t("aside.title")), this.list.element, inGame && this.back);
    this.intro = h("p.dim", t("analysis.how"));
    this.pass = h("button.quiet", { click: owner.pass }, t("match.pass"));
    this.element = h("div.aside", this.box, !inGame && this.intro, this.pass);
  }

  /**
   * Draws the variation. Returns whether the focus was on something that is gone.
   * @param {import("./path.js").Path} path @param {boolean} canPass
   */
  show(path, canPass) {
    const { variation, branch, at } = path;
    const from = branch ?? 0;
    const focused = document.activeElement;
    this.list.show(variation, from);
    this.list.select(at - from - 1);
    this.box.hidden = variation.length === 0;
    this.intro.hidden = variation.length > 0 || at > 0;
    this.pass.hidden = !canPass;
    this.element.hidden = this.box.hidden && this.intro.hidden && this.pass.hidden;
    return this.element.contains(focused) && focused?.closest("[hidden]") !== null;
  }
}
