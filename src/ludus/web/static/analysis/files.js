// What goes in and out: paste or load a game or a position, take one away, share it. The server reads and writes.

import { Refusal, ask, copy, go, h, limits, t, toast, trying } from "../page.js";
import { query } from "./thinker.js";

/** Shows a box until it is closed. @param {string} title @param {...(Node | false)} inside */
function box(title, ...inside) {
  document.querySelector("dialog")?.remove();
  const made = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      {
        class: "files",
        "aria-labelledby": "files-title",
        click: (/** @type {MouseEvent} */ event) => event.target === made && made.close(),
      },
      h("h2", { id: "files-title" }, title),
      ...inside,
    )
  );
  made.addEventListener("close", () => made.remove());
  document.body.append(made);
  made.showModal();
  return made;
}

/**
 * Asks for a record, a position, a board file or moves, and goes where it can be looked at.
 * @param {{ game: string, options: string, start: string, random: boolean, moves: string[] }} shown the board that is
 *   shown, whether there are others, and some moves as an example
 */
export function bring({ game, options, start, random, moves }) {
  const example = t("import.example", { game, moves: moves.join(" ") });
  const text = /** @type {HTMLTextAreaElement} */ (
    h("textarea", { rows: 9, spellcheck: "false", placeholder: example, "aria-label": t("import.text") })
  );
  const wrong = h("p", { class: "verdict wrong", role: "alert" });
  const load = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    const most = (await limits()).text;
    wrong.textContent = file.size > 4 * most ? t("import.large", { n: most }) : "";
    if (!wrong.textContent) text.value = await file.text();
  };
  const file = h("input", {
    type: "file",
    "aria-label": t("import.file"),
    change: (/** @type {Event} */ event) => load(/** @type {HTMLInputElement} */ (event.target).files?.[0]),
  });
  text.addEventListener("input", () => (wrong.textContent = ""));
  text.addEventListener("dragover", (event) => event.preventDefault());
  text.addEventListener("drop", (event) => {
    const dropped = event.dataTransfer?.files[0];
    if (!dropped) return;
    event.preventDefault();
    load(dropped);
  });
  const read = async () => {
    try {
      /** @type {{ match?: string, study?: import("./editor.js").Study }} */
      const found = await ask("/api/imports", { game, options, start, text: text.value });
      made.close();
      if (found.match) go(`/analysis/${found.match}`);
      else if (found.study) {
        const { frame, options: played, start: first } = found.study;
        go(`/analysis?${query({ game: frame.game, options: played ?? "", text: first.text })}`);
      }
    } catch (error) {
      wrong.textContent = error instanceof Refusal ? error.message : t("offline");
    }
  };
  const made = box(
    t("import.title"),
    h("p", { class: "dim" }, t("import.how"), " ", t(random ? "import.moves.shown" : "import.moves")),
    text,
    file,
    wrong,
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "button", click: read }, t("import.read")),
      h("button", { type: "button", class: "quiet", click: () => made.close() }, t("help.close")),
    ),
  );
  text.focus();
}

/**
 * Offers what is looked at as files and as a link.
 * @param {{ address: string, text: string, asked: string, record: string, course: boolean }} what
 */
export function takeAway({ address, text, asked, record, course }) {
  const row = (/** @type {string} */ label, /** @type {string} */ value) =>
    h(
      "label",
      { class: "field" },
      label,
      h(
        "span",
        { class: "copied" },
        h("input", {
          readonly: true,
          value,
          focus: (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select(),
        }),
        h("button", { type: "button", class: "quiet", click: () => copy(value) }, t("export.copy")),
      ),
    );
  const link = (/** @type {string} */ href, /** @type {string} */ words) =>
    h("a", { class: "quiet", href, download: true }, words);
  const made = box(
    t("export.title"),
    row(t("export.link"), address),
    row(t("export.position"), text),
    h("p", { class: "heading" }, t("export.files")),
    h(
      "div",
      { class: "actions" },
      link(record, t("export.record")),
      link(`/api/positions/files/text?${asked}`, t("export.text")),
      link(`/api/positions/files/picture?${asked}`, t("export.picture")),
      course && link(`/api/positions/files/course?${asked}`, t("export.course")),
    ),
    h("form", { method: "dialog" }, h("button", { class: "button" }, t("help.close"))),
  );
}
