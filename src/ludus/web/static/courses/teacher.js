// A course as its instructor sees it: students, grades with reasons, similar programs, settings.

import { ask, gameName, h, joinFacts, say, sentence, t, tCount, toast } from "../page.js";
import {
  askReason,
  backLink,
  button,
  dateTime,
  download,
  field,
  formDialog,
  inputField,
  openDialog,
  reasonField,
  scrollTable,
  select,
  submitButton,
  submitForm,
} from "../components.js";
import { chooseProgram } from "./collecting.js";
import { gradeParts, pointsText } from "./grade.js";
import { titleInput } from "./settings.js";
import { isRunning, jobProgress } from "./student.js";

/** @import { Course, StudentLine, Teaching } from "./student.js" */
/** @import { Grade, Rule } from "./grade.js" */
/** @import { Message } from "../page.js" */
/**
 * @typedef {{ title: string, most: number, games: number, students: Grade[], alike: { first: string, second: string,
 *   language: string, share: number, page?: string }[], notes: string[], note_messages?: Message[] }} Grades
 */

/** A student of whom nothing is known but the grade. */
const NOBODY = {
  account: "",
  claims: [],
  person: "",
  known: true,
  name: null,
  at: null,
  late: false,
  submission: null,
  program: "",
};
/** The findings that a chosen program remedies. */
const UNCLEAR = ["bots.program_unknown", "courses.named_program_missing"];

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
    teaching.grading?.state === "failed" &&
      h("p.fault", sentence(say(teaching.grading.message, teaching.grading.error))),
    h(
      "div.row",
      going
        ? act("tournament.stop", () => ask(`${path}/stop`, {}))
        : act(
            teaching.graded ? "course.grade.again" : "course.grade.now",
            () => ask(`${path}/grade`, {}),
            teaching.students.length ? "button" : "quiet",
          ),
      teaching.graded &&
        (course.released
          ? act("course.hide", () => ask(`${path}/release`, { released: false }))
          : button("course.release", () => release(course, teaching, reload))),
    ),
    teaching.files.length > 0 &&
      h(
        "details.more",
        h("summary", t("course.downloads")),
        h("div.row", ...teaching.files.map((name) => download(`${path}/files/${name}`, t(`file.${name}`)))),
      ),
    h("p.dim", t(course.released ? "course.released.how" : "course.grade.how")),
  );
}

/**
 * Asks before grades are released: how many students will see them, and what is still open.
 * @param {Course} course @param {Teaching} teaching @param {() => void} reload
 */
async function release(course, teaching, reload) {
  const { release: outlook } = teaching;
  if (!outlook) return;
  const { no_account: absent, unconfirmed, open_students: open, open_rules: rules, questions, newer } = outlook;
  const facts = [
    absent > 0 && tCount("release.absent", absent),
    unconfirmed > 0 && tCount("release.unconfirmed", unconfirmed),
    open > 0 &&
      t(open === 1 ? "release.open.one" : "release.open", { n: open, rules: rules.map((one) => say(one)).join(", ") }),
    questions > 0 && tCount("release.questions", questions),
    newer.length > 0 && t("release.newer", { students: newer.join(", ") }),
    teaching.standings && t("release.standings"),
  ].filter(Boolean);
  const list = h("ul.facts", ...(facts.length ? facts : [t("release.complete")]).map((fact) => h("li", fact)));
  const sees = tCount("release.see", outlook.see);
  const given = await formDialog(t("release.title"), sees, t("course.release"), [list]);
  if (!given) return;
  await ask(`/api/courses/${course.id}/release`, { released: true });
  reload();
}

/**
 * Returns a student's points with their reasons, and what can be done about them.
 * @param {Course} course @param {Grade} grade @param {StudentLine | undefined} line @param {() => void} reload
 */
const gradeDetails = (course, grade, line, reload) => [
  h("h3", [grade.id, grade.name].filter(Boolean).join(" ")),
  .../** @type {Node[]} */ (
    gradeParts(grade, course.most, {
      set: (rule) => override(course, grade, rule, reload),
      withdraw: (rule) => withdraw(course, grade, rule, reload),
    }).filter(Boolean)
  ),
  h(
    "div.row",
    button("course.regrade", () => regrade(course, grade, reload)),
    !!line?.submission &&
      button("program.choose", () => chooseProgram(course.id, line.submission ?? 0, line.program, reload)),
  ),
];

/**
 * Returns the row of a student.
 * @param {Course} course @param {StudentLine} line @param {Grade | undefined} grade
 * @param {(grade: Grade) => void} show @param {() => void} reload
 */
function studentRow(course, line, grade, show, reload) {
  const { student, person, account, claims, known } = line;
  const why = t("course.why.of", { student });
  const confirmButtons = claims.map((claim) =>
    button(
      "class.confirm",
      () => confirm(course, [{ student, ...claim }], reload),
      "quiet small",
      t("class.confirm.label", { student, account: claim.name }),
    ),
  );
  return h(
    "tr",
    h(
      "th.entry",
      { scope: "row" },
      h("strong", student),
      person && h("small", ` ${person}`),
      account && account !== student && h("small", ` (${account})`),
      ...claims.map(({ name, submitted }) =>
        h("small", ` · ${t(submitted ? "class.claims.submitted" : "class.claims", { account: name })}`),
      ),
      !known && h("b.bad", ` ${t("class.unknown")}`),
    ),
    submissionCell(course, line, grade, reload),
    h("td", grade ? h("b", pointsText(grade.total)) : "–"),
    h(
      "td",
      grade && button("course.why", () => show(grade), "quiet small", why),
      ...confirmButtons,
      known && button("codes.student", () => giveCodes(course, [line], reload), "quiet small", codeLabel(line)),
    ),
  );
}

/** @param {Course} course @param {Teaching} teaching @param {Grades | null} grades @param {() => void} reload */
export function studentsSection(course, teaching, grades, reload) {
  const { students } = teaching;
  if (!students.length && !grades)
    return h(
      "section",
      h("h2", t("course.students")),
      h("p.dim", t(course.open ? "course.students.open" : "course.students.code", { code: teaching.code })),
    );
  const graded = new Map((grades?.students ?? []).map((one) => [one.id, one]));
  const shown = h("div.shown", { "aria-live": "polite" });
  const show = (/** @type {Grade} */ grade) => {
    const line = students.find(({ student }) => student === grade.id);
    shown.replaceChildren(...gradeDetails(course, grade, line, reload));
    shown.scrollIntoView({ block: "nearest" });
  };
  const others = [...graded.keys()].filter((id) => !students.some(({ student }) => student === id));
  const lines = [...students, ...others.map((student) => ({ ...NOBODY, student }))];
  lines.sort((a, b) => (graded.get(b.student)?.total ?? -1) - (graded.get(a.student)?.total ?? -1));
  /** @type {([string, string] | string)[]} */
  const heads = [
    ["text", t("course.student")],
    ["text", t("course.submission")],
    t("grade.points"),
    ["act", t("tournament.actions")],
  ];
  const rows = lines.map((line) => studentRow(course, line, graded.get(line.student), show, reload));
  const clear = lines.flatMap(({ student, account, claims }) =>
    !account && claims.length === 1 ? [{ student, ...claims[0] }] : [],
  );
  const without = lines.filter(({ known, account }) => known && !account);
  return h(
    "section",
    h("h2", t("course.students")),
    h(
      "div.row",
      clear.length > 1 && button("class.confirm.all", () => confirm(course, clear, reload)),
      without.length > 0 && button("codes.all", () => giveCodes(course, without, reload)),
    ),
    scrollTable("students", t("course.students"), heads, rows),
    shown,
    ...(grades?.notes ?? []).map((note, index) => h("p.dim.note", sentence(say(grades?.note_messages?.[index], note)))),
  );
}

/**
 * Asks whether accounts belong to the students that they say they are, and stores that.
 * @param {Course} course @param {{ student: string, account: number, name: string }[]} claims
 * @param {() => void} reload
 */
async function confirm(course, claims, reload) {
  const [{ student, name }] = claims;
  const one = claims.length === 1;
  const title = one ? t("class.confirm.of", { student, account: name }) : t("class.confirm.all");
  const pairs = claims.map((claim) => h("li", `${claim.student} – ${claim.name}`));
  const given = await formDialog(
    title,
    t("class.confirm.how"),
    t("class.confirm"),
    one ? [] : [h("ul.facts", ...pairs)],
  );
  if (!given) return;
  for (const claim of claims)
    await ask(`/api/courses/${course.id}/confirm`, { student: claim.student, account: claim.account });
  reload();
}

/** @param {StudentLine} line */
const codeLabel = ({ student }) => t("codes.student.label", { student });

/**
 * Makes codes with which students prove that an ID is theirs, and shows them this once.
 * @param {Course} course @param {StudentLine[]} lines @param {() => void} reload
 */
async function giveCodes(course, lines, reload) {
  const days = select(
    [7, 30, 120].map((n) => [String(n), tCount("codes.days", n)]),
    "30",
    { name: "days" },
  );
  const taken = lines.find(({ account }) => account);
  const how = taken ? t("codes.taken", { account: taken.account, student: taken.student }) : t("codes.how");
  const title = lines.length === 1 ? codeLabel(lines[0]) : t("codes.title", { n: lines.length });
  const given = await formDialog(title, how, t("codes.make"), [field(t("codes.until"), days)]);
  if (!given) return;
  const students = lines.map(({ student }) => student);
  /** @type {{ student: string, name: string, code: string }[]} */
  const codes = await ask(`/api/courses/${course.id}/codes`, { students, days: Number(given.days) });
  reload();
  const address = `${location.origin}/courses/${course.id}#`;
  const quoted = (/** @type {string} */ text) => `"${text.replaceAll('"', '""').replace(/^[=+@-]/, "'$&")}"`;
  const lineOf = (/** @type {string[]} */ cells) => `${cells.map(quoted).join(",")}\r\n`;
  const table = ["id", "name", "code", "link"];
  const rows = codes.map(({ student, name, code }) => lineOf([student, name, code, address + code]));
  const file = new Blob(["\ufeff", lineOf(table), ...rows], { type: "text/csv" });
  const save = h(
    "a.button",
    { href: URL.createObjectURL(file), download: `course-${course.id}-codes.csv` },
    t("codes.save"),
  );
  const shown = codes.map(({ student, name, code }) =>
    h("tr", h("th.text", { scope: "row" }, student, name && h("small", ` ${name}`)), h("td.text", h("code", code))),
  );
  /** @type {[string, string][]} */
  const heads = [
    ["text", t("course.student")],
    ["text", t("codes.code")],
  ];
  const dialog = openDialog(
    "question",
    t("codes.done"),
    h("p.dim", t("codes.once")),
    scrollTable("codes", t("codes.done"), heads, shown),
    h(
      "div.row",
      save,
      button("codes.close", () => dialog.close()),
    ),
  );
  dialog.classList.add("wide");
}

/** @param {Course} course @param {StudentLine} line @param {Grade | undefined} grade @param {() => void} reload */
function submissionCell(course, { submission, name, at, late, program }, grade, reload) {
  const unclear = UNCLEAR.includes(grade?.trouble_message?.code ?? "");
  const trouble = say(grade?.trouble_message ?? grade?.failed_message, grade?.trouble || grade?.failed);
  return h(
    "td.text",
    submission
      ? download(`/api/courses/${course.id}/submissions/${submission}`, name ?? "", "")
      : !trouble && h("span.dim", t("course.nothing")),
    at && h("small", ` ${dateTime(at)}`),
    late && h("b.bad", ` ${t("course.late")}`),
    program && h("small", ` ${t("program.is", { file: program })}`),
    trouble && h("small.bad", ` ${trouble}`),
    submission !== null &&
      unclear &&
      button("program.choose", () => chooseProgram(course.id, submission, program, reload), "quiet small"),
  );
}

/** @param {Course} course @param {Grade} grade @param {Rule} rule @param {() => void} reload */
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

/** @param {Course} course @param {Grade} grade @param {Rule} rule @param {() => void} reload */
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

/**
 * Returns the list of similar programs: a hint where to look, never a verdict.
 * @param {Course} course @param {Grades | null} grades
 */
export function similaritySection(course, grades) {
  if (!grades?.alike.length) return null;
  return h(
    "section",
    h("h2", t("course.alike")),
    h("p.dim", t("course.alike.how")),
    h(
      "ul.lines",
      ...grades.alike.map(({ first, second, language, share, page }) => {
        const names = h("strong", `${first} – ${second}`);
        const place = `/api/courses/${course.id}/similar/${encodeURIComponent((page ?? "").replace("similar/", ""))}`;
        return h(
          "li",
          page ? h("a", { href: place, target: "_blank", rel: "noopener" }, names) : names,
          h("small", `${language}, ${Math.round(100 * share)} %`),
        );
      }),
    ),
  );
}

/** Returns the value of a `datetime-local` field as the server takes it. @param {string} value */
const isoTime = (value) => (value ? new Date(value).toISOString() : null);

/** Returns the fields for the deadline and the code of a new course. */
function joiningFields() {
  const until = { type: "datetime-local", name: "deadline" };
  const word = { type: "text", name: "code", maxlength: 64, autocomplete: "off" };
  return h(
    "div.fields",
    inputField(t("course.deadline"), until, t("course.deadline.how")),
    inputField(t("course.code"), word, t("course.code.none")),
  );
}

/** @param {HTMLElement} main @param {(id: number) => void} made */
export async function showForm(main, made) {
  document.title = `${t("courses.new")} · Ludus`;
  /** @type {{ name: string, title: string, game: string, game_title: string, most: number }[]} */
  const presets = await ask("/api/presets");
  const title = titleInput(presets[0].title);
  const choose = (/** @type {string} */ value) =>
    (title.value = presets.find(({ name }) => name === value)?.title ?? "");
  const choices = presets.map((one) => [one.name, joinFacts(gameName(one.game, one.game_title), one.title)]);
  const preset = select(choices, presets[0].name, { name: "preset" }, choose);
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
      joiningFields(),
      submitButton("courses.make", "button large"),
    ),
  );
}
