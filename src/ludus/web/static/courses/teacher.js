// A course as its instructor sees it: students, grades with reasons, similar programs, settings.

import { ask, h, say, t, toast } from "../page.js";
import {
  askReason,
  backLink,
  button,
  dateTime,
  download,
  field,
  formDialog,
  reasonField,
  scrollTable,
  select,
  submitButton,
  submitForm,
} from "../components.js";
import { gradeParts, pointsText } from "./grade.js";
import { isRunning, jobProgress } from "./student.js";

/** @typedef {import("./student.js").Course} Course */
/** @typedef {import("./student.js").StudentLine} StudentLine */
/** @typedef {import("./student.js").Teaching} Teaching */
/** @typedef {import("./grade.js").Grade} Grade */
/**
 * @typedef {{ title: string, most: number, games: number, students: Grade[], alike: { first: string, second: string,
 *   language: string, share: number }[], notes: string[],
 *   note_messages?: import("../page.js").Message[] }} Grades
 */

/** @param {Course} course @param {Teaching} teaching @param {() => void} reload */
export function gradingSection(course, teaching, reload) {
  const path = `/api/courses/${course.id}`;
  const act = (/** @type {string} */ key, /** @type {() => Promise<unknown>} */ work, kind = "quiet") =>
    button(key, async () => (await work(), reload()), kind);
  const going = isRunning(teaching.grading);
  return h(
    "section",
    h("h2", t("course.grading")),
    going && teaching.grading && jobProgress(teaching.grading),
    teaching.grading?.state === "failed" && h("p.fault", say(teaching.grading.message, teaching.grading.error)),
    h(
      "div.row",
      going
        ? act("tournament.stop", () => ask(`${path}/stop`, {}))
        : act(teaching.graded ? "course.grade.again" : "course.grade.now", () => ask(`${path}/grade`, {}), "button"),
      teaching.graded &&
        act(course.released ? "course.hide" : "course.release", () =>
          ask(`${path}/release`, { released: !course.released }),
        ),
      ...teaching.files.map((name) => download(`${path}/files/${name}`, t(`file.${name}`))),
    ),
    h("p.dim", t(course.released ? "course.released.how" : "course.grade.how")),
  );
}

/** @param {Course} course @param {Teaching} teaching @param {Grades | null} grades @param {() => void} reload */
export function studentsSection(course, teaching, grades, reload) {
  if (!teaching.students.length && !grades)
    return h(
      "section",
      h("h2", t("course.students")),
      h("p.dim", t(course.open ? "course.students.open" : "course.students.code", { code: teaching.code })),
    );
  const graded = new Map((grades?.students ?? []).map((one) => [one.id, one]));
  const shown = h("div.shown", { "aria-live": "polite" });
  const show = (/** @type {Grade} */ grade) => {
    shown.replaceChildren(
      h("h3", [grade.id, grade.name].filter(Boolean).join(" ")),
      .../** @type {Node[]} */ (
        gradeParts(grade, course.most, {
          set: (rule) => override(course, grade, rule, reload),
          withdraw: (rule) => withdraw(course, grade, rule, reload),
        }).filter(Boolean)
      ),
      button("course.regrade", () => regrade(course, grade, reload)),
    );
    shown.scrollIntoView({ block: "nearest" });
  };
  const lines = [
    ...teaching.students,
    ...[...graded.keys()]
      .filter((id) => !teaching.students.some(({ student }) => student === id))
      .map((student) => ({ student, account: "", name: null, at: null, late: false, submission: null })),
  ];
  lines.sort((a, b) => (graded.get(b.student)?.total ?? -1) - (graded.get(a.student)?.total ?? -1));
  const row = (/** @type {StudentLine} */ line) => {
    const grade = graded.get(line.student);
    const why = t("course.why.of", { student: line.student });
    return h(
      "tr",
      h(
        "th.entry",
        { scope: "row" },
        h("strong", line.student),
        line.account && line.account !== line.student && h("small", ` ${line.account}`),
      ),
      submissionCell(course, line, grade),
      h("td", grade ? h("b", pointsText(grade.total)) : "–"),
      h("td", grade && button("course.why", () => show(grade), "quiet small", why)),
    );
  };
  /** @type {([string, string] | string)[]} */
  const heads = [
    ["text", t("course.student")],
    ["text", t("course.submission")],
    t("grade.points"),
    ["act", t("tournament.actions")],
  ];
  return h(
    "section",
    h("h2", t("course.students")),
    scrollTable("students", t("course.students"), heads, lines.map(row)),
    shown,
    ...(grades?.notes ?? []).map((note, index) => h("p.dim", say(grades?.note_messages?.[index], note))),
  );
}

/** @param {Course} course @param {StudentLine} line @param {Grade | undefined} grade */
function submissionCell(course, { submission, name, at, late }, grade) {
  const trouble = say(grade?.trouble_message ?? grade?.failed_message, grade?.trouble || grade?.failed);
  return h(
    "td.text",
    submission
      ? download(`/api/courses/${course.id}/submissions/${submission}`, name ?? "", "")
      : h("span.dim", t("course.nothing")),
    at && h("small", ` ${dateTime(at)}`),
    late && h("b.bad", ` ${t("course.late")}`),
    trouble && h("small.bad", ` ${trouble}`),
  );
}

/** @param {Course} course @param {Grade} grade @param {import("./grade.js").Rule} rule @param {() => void} reload */
async function override(course, grade, rule, reload) {
  const points = h("input", { type: "number", name: "points", required: true, step: "any", value: rule.points });
  const given = await formDialog(
    t("grade.override.of", { rule: say(rule.title_message, rule.title), student: grade.id }),
    t("grade.override.how"),
    t("grade.override"),
    [field(t("grade.points"), points), reasonField()],
  );
  if (!given) return;
  const { points: entered, reason } = given;
  const change = { student: grade.id, rule: rule.rule, points: Number(entered), reason };
  await ask(`/api/courses/${course.id}/override`, change);
  toast(t("grade.override.done"));
  reload();
}

/** @param {Course} course @param {Grade} grade @param {import("./grade.js").Rule} rule @param {() => void} reload */
async function withdraw(course, grade, rule, reload) {
  const title = t("grade.withdraw.of", { rule: say(rule.title_message, rule.title), student: grade.id });
  const reason = await askReason(title, t("grade.withdraw.how"), t("grade.withdraw"));
  if (!reason) return;
  await ask(`/api/courses/${course.id}/override/withdraw`, { student: grade.id, rule: rule.rule, reason });
  toast(t("grade.override.done"));
  reload();
}

/** @param {Course} course @param {Grade} grade @param {() => void} reload */
async function regrade(course, grade, reload) {
  const reason = await askReason(
    t("course.regrade.of", { student: grade.id }),
    t("course.regrade.how"),
    t("course.regrade"),
  );
  if (!reason) return;
  await ask(`/api/courses/${course.id}/grade`, { only: [grade.id], reason });
  reload();
}

/** Returns the list of similar programs: a hint where to look, never a verdict. @param {Grades | null} grades */
export function similaritySection(grades) {
  if (!grades?.alike.length) return null;
  return h(
    "section",
    h("h2", t("course.alike")),
    h("p.dim", t("course.alike.how")),
    h(
      "ul.lines",
      ...grades.alike.map(({ first, second, language, share }) =>
        h("li", h("strong", `${first} – ${second}`), h("small", `${language}, ${Math.round(100 * share)} %`)),
      ),
    ),
  );
}

/** Returns a time as a `datetime-local` field takes it. @param {string | null} at */
function localDateTime(at) {
  if (!at) return "";
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the value of a `datetime-local` field as the server takes it. @param {string} value */
const isoTime = (value) => (value ? new Date(value).toISOString() : null);

/** @param {Course} course @param {Teaching} teaching @param {() => void} reload */
export function settingsSection(course, teaching, reload) {
  const text = (/** @type {string} */ name, /** @type {string} */ value, rows = 4) =>
    h("textarea.code", { name, rows, spellcheck: "false" }, value);
  const form = submitForm(
    async (values) => {
      await ask(`/api/courses/${course.id}/settings`, { ...values, deadline: isoTime(values.deadline) });
      toast(t("course.saved"));
      reload();
    },
    field(
      t("course.title"),
      h("input", { type: "text", name: "title", required: true, maxlength: 120, value: course.title }),
    ),
    h(
      "div.fields",
      field(
        t("course.deadline"),
        h("input", { type: "datetime-local", name: "deadline", value: localDateTime(course.deadline) }),
        t("course.deadline.how"),
      ),
      field(
        t("course.code"),
        h("input", { type: "text", name: "code", maxlength: 64, value: teaching.code, autocomplete: "off" }),
        t("course.code.none"),
      ),
    ),
    field(t("course.toml"), text("toml", teaching.toml, 18), t("course.toml.how")),
    field(t("course.late.table"), text("late", teaching.late), t("course.late.how")),
    field(t("course.entered"), text("entered", teaching.entered), t("course.entered.how")),
    submitButton("course.save"),
  );
  return h("section", h("details.settings", h("summary", t("course.settings")), form));
}

/** @param {HTMLElement} main @param {(id: number) => void} made */
export async function showForm(main, made) {
  document.title = `${t("courses.new")} · Ludus`;
  /** @type {{ name: string, title: string, game_title: string, most: number }[]} */
  const presets = await ask("/api/presets");
  const title = h("input", { type: "text", name: "title", required: true, maxlength: 120, value: presets[0].title });
  const choose = (/** @type {string} */ value) =>
    (title.value = presets.find(({ name }) => name === value)?.title ?? "");
  const preset = select(
    presets.map((one) => [one.name, `${one.game_title}: ${one.title}`]),
    presets[0].name,
    { name: "preset" },
    choose,
  );
  const deadline = h("input", { type: "datetime-local", name: "deadline" });
  const code = h("input", { type: "text", name: "code", maxlength: 64, autocomplete: "off" });
  main.append(
    backLink("/courses", t("courses.title")),
    h("h1", t("courses.new")),
    submitForm(
      async (values) => {
        const { id } = await ask("/api/courses", { ...values, deadline: isoTime(values.deadline) });
        made(id);
      },
      field(t("courses.preset"), preset, t("courses.preset.how")),
      field(t("course.title"), title),
      h(
        "div.fields",
        field(t("course.deadline"), deadline, t("course.deadline.how")),
        field(t("course.code"), code, t("course.code.none")),
      ),
      submitButton("courses.make", "button large"),
    ),
  );
}
