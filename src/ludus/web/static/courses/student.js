// A course as a student sees it: join, submit, try, and the grade.

import { RequestError, addressCode, ask, gap, h, handler, limits, post, say, sentence, t, toast } from "../page.js";
import {
  acceptDrops,
  button,
  dateTime,
  download,
  field,
  filePicker,
  listen,
  progressBar,
  scrollTable,
  select,
  submitButton,
  submitForm,
} from "../components.js";
import { chooseProgram } from "./collecting.js";
import { gradeParts, pointsText } from "./grade.js";

/** @import { Grade } from "./grade.js" */
/** @import { Message } from "../page.js" */
/**
 * @typedef {{ state: string, progress: { stage: string, done: number, total: number } | null, error: string | null,
 *   message?: Message }} Job
 */
/**
 * @typedef {{ id: number, name: string, at: string, late: boolean, program: string, trial: Job | null, result: (Grade &
 *   { most: number }) | null }} Submission
 */
/**
 * @typedef {{ student: string, account: string, claims: { account: number, name: string, submitted: boolean }[],
 *   person: string, known: boolean, name: string | null, at: string | null, late: boolean, submission: number | null,
 *   program: string }} StudentLine
 */
/**
 * @typedef {{ title: string, clock: string, deadline: { at: string, zone: string, grace_minutes: number }, opponents: {
 *   rule: string, opponent: string, games: number, points: number }[], late: { rule: string, a_day: number,
 *   percent_a_day: number, accepted_days: number | null }[] }} Basics
 */
/**
 * @typedef {{ code: string, toml: string, tables: Record<string, string>, columns:
 *   Record<string, string>, base: string, basics: Basics, standings: boolean, in_file:
 *   boolean, students: StudentLine[], grading: Job | null, graded: boolean, files: string[], release: { see: number,
 *   no_account: number, unconfirmed: number, open_students: number, open_rules: Message[], questions: number, newer:
 *   string[] } | null }} Teaching
 */
/**
 * @typedef {{ id: number, title: string, game: string, game_title: string, deadline: string | null, open: boolean,
 *   joined: boolean, released: boolean, clock: string, most: number, rules: { name: string, title: string,
 *   title_message?: Message | null, points: number, kind: string }[], student: string | null, confirmed:
 *   boolean, submissions: Submission[], grade: Grade | null, paper: boolean, standings: boolean, teaching:
 *   Teaching | null }} Course
 */

/** @param {Job | null} job */
export const isRunning = (job) => job !== null && (job.state === "waiting" || job.state === "running");

/** Returns the progress of a job, as a bar and in words. @param {Job} job */
export function jobProgress(job) {
  const { progress } = job;
  if (!progress) return h("p.dim", t("state.waiting"), " …");
  const contest = progress.stage.replace(/^tournament /, "");
  const stage = contest === progress.stage ? t(`stage.${progress.stage}`) : t("stage.contest", { name: contest });
  return h(
    "div.working",
    progressBar(progress.total ? progress.done / progress.total : 0, stage),
    h("p.dim", t("course.working", { stage, done: progress.done, total: progress.total })),
  );
}

/**
 * Returns the form to join a course.
 * @param {Course} course @param {{ role: string, name?: string | null }} who @param {() => void} reload
 */
export function joinSection(course, who, reload) {
  if (who.role === "guest")
    return h(
      "p.empty",
      t("course.guest"),
      " ",
      h(
        "a.button",
        { href: `/account?next=${encodeURIComponent(location.pathname + location.hash)}` },
        t("nav.sign-in"),
      ),
    );
  const own = addressCode(); // a link from the instructor has the student's own code
  const student = { type: "text", name: "student", maxlength: 40, value: own ? "" : (who.name ?? "") };
  const code = { type: "text", name: "code", maxlength: 64, value: own, required: !course.open, autocomplete: "off" };
  return h(
    "section",
    h("h2", t("course.join.title")),
    submitForm(
      (values) => join(course, values, reload),
      field(t("course.code"), h("input", code), t(course.open ? "course.code.open.how" : "course.code.how")),
      field(t("course.student"), h("input", student), t("course.student.how")),
      submitButton("course.join"),
    ),
  );
}

/** @param {Course} course @param {Record<string, string>} values @param {() => void} reload */
async function join(course, values, reload) {
  await ask(`/api/courses/${course.id}/join`, { student: (values.student ?? "").trim(), code: values.code });
  reload();
}

/**
 * Returns the form with which a student proves that the ID is theirs.
 * @param {Course} course @param {() => void} reload
 */
export function claimSection(course, reload) {
  const code = { type: "text", name: "code", maxlength: 64, value: addressCode(), required: true, autocomplete: "off" };
  return h(
    "section",
    h("h2", t("course.claim.title")),
    submitForm(
      (values) => join(course, values, reload),
      field(t("course.claim.code"), h("input", code), t("course.claim.how")),
      submitButton("course.claim"),
    ),
  );
}

/** @param {Course} course @param {{ id: number, name: string, game: string }[]} bots @param {() => void} reload */
export function submitSection(course, bots, reload) {
  const path = `/api/courses/${course.id}/submissions`;
  const [file, picker] = filePicker(t("course.file"), { name: "file" });
  const how = h("small", t("course.file.how"));
  limits().then(
    ({ submission }) => how.append(gap(), t("course.file.most", { mb: submission / (1 << 20) })),
    () => {},
  );
  const drop = h("label.drop", h("strong", t("course.file")), how, picker);
  const give = async (/** @type {File | undefined} */ one) => {
    if (!one) throw new RequestError(t("course.file.none"));
    const { submission } = await limits();
    if (one.size > submission) throw new RequestError(t("course.file.large", { mb: submission / (1 << 20) }));
    await post(`${path}?name=${encodeURIComponent(one.name)}`, one);
    toast(t("course.handed", { name: one.name }));
    reload();
  };
  acceptDrops(drop, (dropped) => handler(() => give(dropped.files[0]))());
  const mine = bots.filter(({ game }) => game === course.game);
  const names = mine.map(({ id, name }) => [String(id), name]);
  const bot = select(names, "", { "aria-label": t("course.bot") });
  const giveBot = async () => (await ask(`${path}?bot=${bot.value}`, {}), reload());
  return h(
    "section",
    h("h2", t("course.hand-in")),
    submitForm(() => give(file.files?.[0]), drop, submitButton("course.hand-in")),
    mine.length > 0 && h("div.row.own", h("span", t("course.bot")), bot, button("course.hand-in", giveBot)),
  );
}

/** @param {Course} course @param {() => void} reload */
export function submissionsSection(course, reload) {
  if (!course.submissions.length) return h("p.dim", t("course.none"));
  const [last, ...others] = course.submissions;
  const row = (/** @type {Submission} */ one) =>
    h(
      "li",
      h("a", { href: `/api/courses/${course.id}/submissions/${one.id}`, download: true }, one.name),
      h("small", dateTime(one.at), one.late && h("b.bad", ` · ${t("course.late")}`)),
    );
  const tryIt = async () => (await ask(`/api/courses/${course.id}/submissions/${last.id}/try`, {}), reload());
  return h(
    "section",
    h("h2", t("course.submissions")),
    h("ul.lines", row(last)),
    h("p.dim", t("course.counts")),
    h(
      "div.trial",
      last.trial && isRunning(last.trial)
        ? jobProgress(last.trial)
        : button(last.trial ? "course.try.again" : "course.try", tryIt),
      !last.trial && h("p.dim", t("course.try.how")),
      button("program.choose", () => chooseProgram(course.id, last.id, last.program, reload)),
      last.program && h("p.dim", t("program.is", { file: last.program })),
      last.trial?.state === "failed" && h("p.fault", sentence(say(last.trial.message, last.trial.error))),
      last.result && h("div.result", h("h3", t("course.try.result")), ...gradeParts(last.result, last.result.most)),
    ),
    others.length > 0 &&
      h("details", h("summary", t("course.earlier", { n: others.length })), h("ul.lines", ...others.map(row))),
  );
}

/** Returns the student's own grade. @param {Course} course */
export function gradeSection(course) {
  if (!course.grade) return null;
  return h(
    "section.grade",
    h("h2", t("course.grade")),
    ...gradeParts(course.grade, course.most),
    course.paper && h("p", download(`/api/courses/${course.id}/paper`, t("course.paper"))),
  );
}

/**
 * Returns the standings by code names.
 * @param {{ place: number, code: string, total: number, own: boolean }[]} lines
 */
export function standingsSection(lines) {
  if (!lines.length) return null;
  const rows = lines.map(({ place, code, total, own }) =>
    h(
      "tr",
      { class: own ? "leader" : "" },
      h("td.rank", String(place)),
      h("th.entry", { scope: "row" }, h("strong", code), own && h("small", ` ${t("standings.you")}`)),
      h("td", h("b", pointsText(total))),
    ),
  );
  /** @type {([string, string] | string)[]} */
  const heads = [t("standings.place"), ["text", t("standings.code")], t("grade.points")];
  return h(
    "section",
    h("h2", t("standings.title")),
    h("p.dim", t("standings.how")),
    scrollTable("standings", t("standings.title"), heads, rows),
  );
}

/**
 * Follows the running jobs of a course.
 * @param {number} id @param {(jobs: { grading: Job | null, trial: Job | null }) => void} take
 */
export const followJobs = (id, take) => listen(`/api/courses/${id}/events`, take);
