// The panel beside the board of the analysis: the usual parts, or a mode (the editor, a lesson) in their place. Knows
// where things are; its owner does what is chosen.

import { button } from "../components.js";
import { h, t } from "../page.js";
import { stepButtons } from "../replay.js";

/** @import { Child } from "../page.js" */

export class AnalysisPanel {
  /**
   * @param {Record<"header" | "headline" | "lines" | "variation" | "review", Child>} parts
   * @param {Record<"first" | "back" | "next" | "last" | "edit" | "import" | "export" | "play", () => unknown> & {
   *   save: (() => unknown) | null }} work what the buttons do; a study is saved by itself
   */
  constructor(parts, work) {
    this.steps = stepButtons((name) => t(`match.${name}`), work);
    this.playButton = button("analysis.play", work.play);
    this.exploreLink = h("a.quiet", t("analysis.explore"));
    this.tools = h(
      "div.actions.tools",
      work.save && button("analysis.edit", work.edit),
      work.save && button("import.title", work.import),
      button("export.title", work.export),
      work.save && button("study.save", work.save),
      this.playButton,
      this.exploreLink,
    );
    this.mode = h("div.special", { hidden: true });
    this.usual = h(
      "div.usual",
      h("section.thinking", { "aria-label": t("lines.label") }, parts.headline, parts.lines),
      parts.variation,
      h("div.steps", { role: "group", "aria-label": t("match.replay") }, ...this.steps),
      parts.review,
      this.tools,
    );
    this.element = h("aside.panel", parts.header, this.mode, this.usual);
  }

  /** Offers to play on and to explore, where the game is not over. @param {boolean} isOpen @param {string} query */
  offerPlay(isOpen, query) {
    this.playButton.hidden = this.exploreLink.hidden = !isOpen;
    this.exploreLink.href = `/explorer?${query}`;
  }

  /** Shows a mode in place of the usual parts, or these again. @param {HTMLElement | null} element */
  showMode(element) {
    this.mode.replaceChildren(...(element ? [element] : []));
    this.mode.hidden = !element;
    this.usual.hidden = Boolean(element);
  }

  focusSteps() {
    this.steps[0].focus();
  }

  /** Focuses the button that opened a mode. @param {".learn" | ".tools button"} selector */
  focusAfterMode(selector) {
    /** @type {HTMLElement | null} */ (this.usual.querySelector(selector))?.focus();
  }
}
