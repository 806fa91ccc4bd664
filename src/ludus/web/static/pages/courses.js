// The list of courses, a new course, and the page of a course for students or instructors.

import { ask, gameName, go, h, joinFacts, loadAssets, say, t, toast } from "../page.js";
import {
  Panel,
  backLink,
  dateTime,
  emptyState,
  fetchAccount,
  isInstructor,
  stateBadge,
  stateRow,
} from "../components.js";
import { clockName } from "../setup.js";
import {
  claimSection,
  followJobs,
  gradeSection,
  isRunning,
  joinSection,
  standingsSection,
  submissionsSection,
  submitSection,
} from "../courses/student.js";

/** @import { Course } from "../courses/student.js" */
/** @typedef {{ role: string, name?: string | null }} Who */

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, [id]) {
  await loadAssets("events");
  main.className = "events";
  if (id === "new") return (await import("../courses/teacher.js")).showForm(main, (made) => go(`/courses/${made}`));
  const who = await fetchAccount();
  return id === undefined ? showList(main, who) : showCourse(main, Number(id) || 0, who);
}

/** @param {HTMLElement} main @param {Who} who */
async function showList(main, who) {
  document.title = `${t("courses.title")} · Ludus`;
  /**
   * @type {{ id: number, title: string, game: string, game_title: string, deadline: string | null, open: boolean,
   *   joined: boolean, released: boolean }[]}
   */
  const courses = await ask("/api/courses");
  main.append(
    h(
      "div.title",
      h("h1", t("courses.title")),
      isInstructor(who.role) && h("a.button", { href: "/courses/new" }, t("courses.new")),
    ),
    h("p.dim", t("courses.lead")),
  );
  if (!courses.length)
    return void main.append(
      isInstructor(who.role)
        ? h("div.empty", h("p", t("courses.none.teacher")))
        : emptyState("courses.none", "/bots", "courses.none.next"),
    );
  const rows = courses.map((course) => {
    const { id, title, game, game_title: gameTitle, deadline } = course;
    const until = deadline && h("small", t("course.until", { when: dateTime(deadline) }));
    return stateRow(`/courses/${id}`, title, gameName(game, gameTitle), [until], courseState(course));
  });
  main.append(h("ul.rows", ...rows));
}

/** @param {{ released: boolean, joined: boolean, open: boolean }} course */
const courseState = ({ released, joined, open }) =>
  released ? "released" : joined ? "joined" : open ? "open" : "code";

/** @param {HTMLElement} main @param {number} id @param {Who} who */
async function showCourse(main, id, who) {
  const teacher = isInstructor(who.role) ? await import("../courses/teacher.js") : null;
  const places = Object.fromEntries(
    [
      ...["head", "grading", "students", "alike", "collect", "tables", "settings", "file"],
      ...["join", "grade", "standings", "hand", "own"],
    ].map((name) => [name, new Panel("div.block")]),
  );
  main.append(...Object.values(places).map(({ element }) => element));
  let over = false;
  /** @type {import("../courses/student.js").StudentLine[]} */
  let students = [];
  /** @type {EventSource | null} */
  let source = null;

  const draw = async () => {
    /** @type {Course} */
    const course = await ask(`/api/courses/${id}`);
    const { teaching, student } = course;
    const grades = teaching?.graded ? await ask(`/api/courses/${id}/grades`) : null;
    const bots = student ? await ask("/api/bots").catch(() => []) : [];
    if (over) return;
    document.title = `${course.title} · Ludus`;
    places.head.show(
      [course.title, course.clock, course.deadline, course.rules, course.released, student, course.confirmed],
      () => [head(course)],
    );
    if (teaching && teacher) {
      ({ students } = teaching);
      places.grading.show(
        [teaching.grading, teaching.release, teaching.standings, teaching.files, course.released],
        () => [teacher.gradingSection(course, teaching, reload)],
      );
      places.students.show([teaching.students, grades, course.most], () => [
        teacher.studentsSection(course, teaching, grades, reload),
      ]);
      places.alike.show(grades?.alike, () => [teacher.similaritySection(course, grades)]);
      const { collectSection, tablesSection } = await import("../courses/collecting.js");
      const { basicsSection, fileSection } = await import("../courses/settings.js");
      places.collect.show([], () => [collectSection(course, () => students, reload)]);
      places.tables.show([teaching.tables, teaching.base], () =>
        keepOpen(places.tables, tablesSection(course, teaching, reload)),
      );
      places.settings.show([teaching.basics, teaching.code, teaching.standings], () =>
        keepOpen(places.settings, basicsSection(course, teaching, reload)),
      );
      places.file.show([course.title, course.deadline, teaching.code, teaching.toml], () =>
        keepOpen(places.file, fileSection(course, teaching, reload)),
      );
    }
    places.join.show([student, course.confirmed, teaching !== null], () => [
      !teaching && !student && joinSection(course, who, reload),
      !teaching && student && !course.confirmed && claimSection(course, reload),
    ]);
    places.grade.show([course.grade, course.paper], () => [gradeSection(course)]);
    const lines = course.standings && student ? await ask(`/api/courses/${id}/standings`) : [];
    places.standings.show(lines, () => [standingsSection(lines)]);
    places.hand.show([student, bots], () => [student !== null && submitSection(course, bots, reload)]);
    places.own.show([student, course.submissions], () => [student !== null && submissionsSection(course, reload)]);
    follow(course);
  };
  const reload = () => void draw().catch(() => toast(t("offline")));

  /** Listens while a job runs, and redraws what has changed. @param {Course} course */
  const follow = (course) => {
    const going = isRunning(course.teaching?.grading ?? null) || isRunning(course.submissions[0]?.trial ?? null);
    if (going === (source !== null)) return;
    source?.close();
    source = going ? followJobs(id, reload) : null;
  };
  await draw();
  return () => {
    over = true;
    source?.close();
  };
}

/**
 * Returns a section that is as open as the one that it replaces.
 * @param {Panel} panel @param {HTMLElement} section
 */
function keepOpen(panel, section) {
  const details = section.querySelector("details");
  if (details) details.open = panel.element.querySelector("details")?.open ?? false;
  return [section];
}

/** @param {Course} course */
function head(course) {
  const facts = joinFacts(
    gameName(course.game, course.game_title),
    clockName(course.clock),
    t("course.most", { n: course.most }),
    course.deadline && t("course.until", { when: dateTime(course.deadline) }),
  );
  return h(
    "header.head",
    backLink("/courses", t("courses.title")),
    h("div.title", h("h1", course.title), stateBadge(courseState({ ...course, joined: course.student !== null }))),
    h("p.dim", facts),
    course.student && h("p.dim", t("course.as", { student: course.student })),
    course.student && !course.confirmed && h("p.note", t("course.unconfirmed", { student: course.student })),
    h(
      "details",
      h("summary", t("course.rubric")),
      h(
        "ul.lines.rubric",
        ...course.rules.map(({ title, title_message, points }) =>
          h("li", say(title_message, title), " ", h("b", points ? String(points) : "")),
        ),
      ),
    ),
  );
}
