// The PDF report of a version of a bot: its state, its progress, and buttons to make or download it.

import { ask, h, say, t } from "../page.js";
import { button, download, listen, working } from "../components.js";

/**
 * @typedef {{ state: string, over: boolean, error?: string | null, message?: import("../page.js").Message, progress?:
 *   { stage: string, done: number, total: number } | null }} ReportState
 */

export class ReportPanel {
  /** @param {number} bot */
  constructor(bot) {
    this.bot = bot;
    this.element = h("section.part.paper", { "aria-live": "polite", hidden: true });
    /** @type {EventSource | undefined} */
    this.source;
  }

  /** Shows the report of a version, and its progress while it is made. @param {number} version */
  show(version) {
    this.close();
    this.element.hidden = false;
    const path = `/api/bots/${this.bot}/report/${version}`;
    const source = (this.source = listen(`${path}/events`, (/** @type {ReportState} */ update) => {
      if (update.over) source.close();
      const inside = update.over ? this.actions(version, path, update) : [working(progressText(update))];
      this.element.replaceChildren(h("h2", t("bots.report", { n: version })), ...inside);
    }));
  }

  /** @param {number} version @param {string} path @param {ReportState} state */
  actions(version, path, { state, error, message }) {
    const exists = ["ready", "old", "done"].includes(state);
    const about = state === "old" ? "bots.report.old" : exists ? "bots.report.ready" : "bots.report.about";
    const make = async () => (await ask(path, {}), this.show(version));
    return [
      h("p.dim", t(about)),
      h("p.fault", { role: "alert" }, say(message, error)),
      h(
        "div.row",
        exists && download(path, t("bots.report.download"), "button"),
        !exists && button("bots.report.make", make, "button"),
        state === "old" && button("bots.report.again", make),
      ),
    ];
  }

  hide() {
    this.close();
    this.element.hidden = true;
  }

  close() {
    this.source?.close();
  }
}

/** @param {ReportState} state */
const progressText = ({ progress }) =>
  progress ? t(`bots.report.${progress.stage}`, { n: progress.done, of: progress.total }) : t("bots.report.waiting");
