// The dialog to import a game or a position. The server reads it.

import { ask, errorText, gap, go, h, limits, t } from "../page.js";
import { button, filePicker, openDialog } from "../components.js";
import { positionQuery } from "./engine.js";

/**
 * Shows a dialog for a record, a position, a board file or moves, and opens what was entered.
 * @param {{ game: string, options: string, start: string, random: boolean, moves: string[] }} shown the board that is
 *   shown, whether there are others, and some moves as an example
 */
export function showImport({ game, options, start, random, moves }) {
  const example = t("import.example", { game, moves: moves.join(" ") });
  const text = h("textarea", { rows: 9, spellcheck: "false", placeholder: example, "aria-label": t("import.text") });
  const wrong = h("p.verdict.wrong", { role: "alert" });
  const load = async (/** @type {File | undefined} */ file) => {
    if (!file) return;
    const most = (await limits()).text;
    wrong.textContent = file.size > 4 * most ? t("import.large", { n: most }) : "";
    if (!wrong.textContent) text.value = await file.text();
  };
  const [file, picker] = filePicker(t("import.file"), { change: () => load(file.files?.[0]) });
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
      /** @type {{ match?: string, study?: import("./engine.js").Study }} */
      const found = await ask("/api/imports", { game, options, start, text: text.value });
      dialog.close();
      if (found.match) go(`/analysis/${found.match}`);
      else if (found.study) {
        const { frame, options: played, start: first } = found.study;
        go(`/analysis?${positionQuery({ game: frame.game, options: played ?? "", text: first.text })}`);
      }
    } catch (error) {
      wrong.textContent = errorText(error);
    }
  };
  const close = () => dialog.close();
  const dialog = openDialog(
    "files",
    t("import.title"),
    h("p.dim", t("import.how"), gap(), t(random ? "import.moves.shown" : "import.moves")),
    text,
    h("label", picker),
    wrong,
    h("div.actions", button("import.read", read, "button"), button("help.close", close)),
  );
  text.focus();
}
