// What an instructor uploads: the submissions of a class in one zip, and the tables of the course.

import { RequestError, ask, h, limits, post, say, sentence, t, tCount, toast } from "../page.js";
import {
  acceptDrops,
  button,
  dateTime,
  field,
  filePicker,
  formDialog,
  openDialog,
  scrollTable,
  select,
  submitButton,
  submitForm,
} from "../components.js";

/** @import { Course, StudentLine, Teaching } from "./student.js" */
/** @import { Message } from "../page.js" */
/**
 * @typedef {{ file: string, student: string, name: string, account: string, at: string | null, known: boolean, state:
 *   string, note: string, note_message?: Message | null }} Row
 */

/** The states of submissions that are not stored. */
const NOT_STORED = ["refused", "same", "left-out"];

/** @param {Course} course @param {() => StudentLine[]} students @param {() => void} reload */
export function collectSection(course, students, reload) {
  const path = `/api/courses/${course.id}/collected`;
  const [file, picker] = filePicker(t("class.file"), { name: "class", accept: ".zip" });
  const drop = h("label.drop", h("strong", t("class.file")), h("small", t("class.how")), picker);
  const hold = (/** @type {FileList | null} */ files) => {
    if (files) file.files = files;
    else file.value = "";
    file.dispatchEvent(new Event("change")); // it shows the name
  };
  const found = h("div.found", { "aria-live": "polite" });
  const read = async (/** @type {File | undefined} */ one, /** @type {Map<number, string>} */ owners = new Map()) => {
    if (!one) throw new RequestError(t("course.file.none"));
    const { collected } = await limits();
    if (one.size > collected) throw new RequestError(t("class.large", { mb: collected / (1 << 20) }));
    const named = [...owners].map(([row, student]) => `&owner=${row}:${encodeURIComponent(student)}`).join("");
    /** @type {{ plan: string, rows: Row[], notes: Message[] }} */
    const { plan, rows, notes } = await post(`${path}?accept=${named}`, one);
    const kept = rows.filter(({ state }) => !NOT_STORED.includes(state)).length;
    const accept = async () => {
      await post(`${path}?accept=${plan}${named}`, one);
      toast(tCount("class.stored", kept));
      found.replaceChildren();
      hold(null);
      reload();
    };
    const change = async (/** @type {number} */ place) => {
      const student = await askOwner(rows[place], students());
      if (student !== null) await read(one, new Map(owners).set(place, student));
    };
    const decide = h(
      "div.row",
      kept > 0 && button("class.accept", accept, "button"),
      button("cancel", () => found.replaceChildren()),
    );
    const told = notes.map((note) => h("p.note", sentence(say(note))));
    found.replaceChildren(h("h3", tCount("class.found", rows.length)), ...told, rowsTable(rows, change), decide);
    found.scrollIntoView({ block: "nearest" });
  };
  const form = submitForm(() => read(file.files?.[0]), drop, submitButton("class.read"));
  acceptDrops(drop, ({ files }) => {
    hold(files);
    form.requestSubmit();
  });
  return h("section", h("details.collect", h("summary", t("class.title")), form, found));
}

/**
 * Asks whose a submission is; resolves to the student's id, to nothing to leave it out, and to null when the person
 * cancels.
 * @param {Row} row @param {StudentLine[]} students
 */
async function askOwner(row, students) {
  const known = students.map(({ student, person }) => h("option", { value: student }, person || student));
  const input = { type: "text", name: "student", maxlength: 40, list: "class-students", autocomplete: "off" };
  const given = await formDialog(t("class.owner.of", { file: row.file }), t("class.owner.how"), t("class.owner.use"), [
    h("datalist", { id: "class-students" }, ...known),
    field(t("class.student.head"), h("input", { ...input, value: row.known ? row.student : "" })),
    h("label.tick", h("input", { type: "checkbox", name: "out" }), t("class.owner.out")),
  ]);
  if (!given) return null;
  const student = given.student.trim();
  return given.out ? "" : student || row.student;
}

/** Returns the table of who is who. @param {Row[]} rows @param {(place: number) => Promise<void>} change */
function rowsTable(rows, change) {
  const line = (/** @type {Row} */ row, /** @type {number} */ place) => {
    const unclear = !row.known || row.state === "refused";
    const label = t(unclear ? "class.owner.label" : "class.change.label", { file: row.file });
    return h(
      "tr",
      { class: row.state === "left-out" ? "out" : "" },
      h("th.entry.text", { scope: "row" }, row.file),
      h("td.text", h("strong", row.student), row.name && h("small", ` ${row.name}`)),
      h("td.text", row.account || h("span.dim", "–")),
      h("td.text", row.at ? dateTime(row.at) : h("span.dim", t("class.at.unknown"))),
      h(
        "td.text",
        h("span", { class: row.state === "refused" ? "bad" : "" }, t(`class.state.${row.state}`)),
        !row.known && !row.note && h("b.bad", ` · ${t("class.unknown")}`),
        row.note && h("small", { class: row.known ? "" : "bad" }, say(row.note_message, row.note)),
      ),
      h(
        "td",
        button(unclear ? "class.owner" : "class.change", () => change(place), "quiet small", label),
      ),
    );
  };
  /** @type {[string, string][]} */
  const heads = ["file", "student", "account", "at", "state"].map((name) => ["text", t(`class.${name}.head`)]);
  return scrollTable("class", t("class.title"), [...heads, ["act", t("tournament.actions")]], rows.map(line));
}

/**
 * Returns the line for what the course gave out, which does not count as similar.
 * @param {Course} course @param {Teaching} teaching @param {() => void} reload
 */
function baseLine(course, teaching, reload) {
  const store = async (/** @type {string} */ name, /** @type {Blob | string} */ content) => {
    await post(`/api/courses/${course.id}/base?name=${encodeURIComponent(name)}`, content);
    toast(t("course.saved"));
    reload();
  };
  const upload = async (/** @type {File} */ file) => {
    const { submission } = await limits();
    if (file.size > submission) throw new RequestError(t("course.file.large", { mb: submission / (1 << 20) }));
    await store(file.name, file);
  };
  const remove = () => store("", "");
  const state = teaching.base || t("table.none");
  return fileLine("base", state, "", upload, teaching.base && button("table.remove", remove, "quiet small"));
}

/**
 * Returns a line with a button that uploads a file; a problem is shown below it.
 * @param {string} name @param {string} state @param {string} accept @param {(file: File) => Promise<unknown>} upload
 * @param {...import("../page.js").Child} more further buttons
 */
function fileLine(name, state, accept, upload, ...more) {
  const title = t(`table.${name}`);
  const choose = h("input", { type: "file", accept, hidden: true, "aria-label": title });
  const fault = h("p.fault", { role: "alert" });
  choose.addEventListener("change", async () => {
    const [file] = choose.files ?? [];
    fault.textContent = "";
    try {
      if (file) await upload(file);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      fault.textContent = sentence(error.message);
    }
    choose.value = "";
  });
  const start = button("table.upload", () => choose.click(), "quiet small", t("table.upload.of", { table: title }));
  return h(
    "li",
    h("div.what", h("strong", title), h("small", t(`table.${name}.how`))),
    h("span.dim", state),
    h("div.row", start, ...more),
    choose,
    fault,
  );
}

/** @param {Course} course @param {Teaching} teaching @param {() => void} reload */
export function tablesSection(course, teaching, reload) {
  const store = async (/** @type {string} */ name, /** @type {Blob | string} */ content) => {
    /** @type {{ lines: number, unknown: string[] }} */
    const { lines, unknown } = await post(`/api/courses/${course.id}/tables/${name}`, content);
    const missing = unknown.length ? ` ${t("table.unknown", { accounts: unknown.join(", ") })}` : "";
    toast(tCount("table.stored", lines) + missing);
    reload();
  };
  const row = (/** @type {string} */ name) => {
    const text = teaching.tables[name];
    const lines = Math.max(0, text.split("\n").filter((line) => line.trim()).length - 1);
    const state = text.trim() ? tCount("table.lines", lines) : t("table.none");
    const label = t("table.edit.of", { table: t(`table.${name}`) });
    const change = button("table.edit", () => edit(name, text), "quiet small", label);
    return fileLine(name, state, ".csv,.tsv,.txt", (file) => store(name, file), change);
  };
  const edit = (/** @type {string} */ name, /** @type {string} */ text) => {
    const area = h("textarea.code", { name: "text", rows: 12, spellcheck: "false", "aria-label": t(`table.${name}`) });
    area.value = text || `${teaching.columns[name]}\n`;
    const form = submitForm(
      async (values) => {
        await store(name, values.text.split("\n").slice(1).join("").trim() ? values.text : "");
        dialog.close();
      },
      h("p.dim", t(`table.${name}.how`)),
      area,
      submitButton("course.save"),
    );
    const dialog = openDialog("question", t(`table.${name}`), form);
    dialog.classList.add("wide");
  };
  return h(
    "section",
    h(
      "details.tables",
      h("summary", t("table.title")),
      h("p.dim", t("table.how")),
      h("ul.lines", ...Object.keys(teaching.tables).map(row), baseLine(course, teaching, reload)),
    ),
  );
}

/**
 * Asks which file of a submission is the program, and stores the answer.
 * @param {number} course @param {number} submission @param {string} chosen @param {() => void} reload
 */
export async function chooseProgram(course, submission, chosen, reload) {
  const path = `/api/courses/${course}/submissions/${submission}`;
  /** @type {string[]} */
  const files = await ask(`${path}/files`);
  const choices = [["", t("program.auto")], ...files.map((name) => [name, name])];
  const given = await formDialog(t("program.title"), t("program.how"), t("program.use"), [
    field(t("program.file"), select(choices, chosen, { name: "file" })),
  ]);
  if (!given) return;
  await ask(`${path}/program`, { file: given.file });
  toast(given.file ? t("program.done", { file: given.file }) : t("course.saved"));
  reload();
}
