// The settings of a course: the common ones as a form, and the whole course file as text.

import { ask, h, say, t, toast } from "../page.js";
import { field, inputField, select, submitButton, submitForm } from "../components.js";

/** @import { Course, Teaching } from "./student.js" */
/** @import { Attributes } from "../page.js" */
/** @typedef {Teaching["basics"]} Basics */

/** @param {string} value */
export const titleInput = (value) => h("input", { type: "text", name: "title", required: true, maxlength: 120, value });

/** Returns the time zones that the browser knows, with one that must be among them. @param {string} zone */
function zones(zone) {
  const known = Intl.supportedValuesOf?.("timeZone") ?? [];
  return [...new Set([zone, "UTC", Intl.DateTimeFormat().resolvedOptions().timeZone, ...known])];
}

/** @param {string} name @param {number | null} value @param {Attributes} [more] */
const numberInput = (name, value, more = {}) =>
  h("input", { type: "number", name, step: "any", value: value ?? "", ...more });

/**
 * Returns the fields of a rule that is won against an opponent.
 * @param {Basics["opponents"][number]} rule @param {string} title
 */
const opponentFields = ({ rule, opponent, games, points }, title) =>
  h(
    "fieldset.line",
    h("legend", title),
    inputField(t("basics.opponent"), { type: "text", name: `${rule}.opponent`, value: opponent, required: true }),
    field(t("basics.games"), numberInput(`${rule}.games`, games, { min: 1, step: 1, required: true })),
    field(t("grade.points"), numberInput(`${rule}.points`, points, { required: true })),
  );

/**
 * Returns the fields of a rule about late submissions.
 * @param {Basics["late"][number]} rule @param {string} title
 */
const lateFields = ({ rule, a_day, percent_a_day, accepted_days }, title) =>
  h(
    "fieldset.line",
    h("legend", title),
    field(t("basics.a-day"), numberInput(`${rule}.a_day`, a_day)),
    field(t("basics.percent-a-day"), numberInput(`${rule}.percent_a_day`, percent_a_day, { min: 0, max: 100 })),
    field(
      t("basics.accepted-days"),
      numberInput(`${rule}.accepted_days`, accepted_days, { min: 0 }),
      t("basics.accepted-days.how"),
    ),
  );

/** Returns what the form says, as the server reads it. @param {Record<string, string>} values @param {Basics} basics */
function basicsFrom(values, { opponents, late }) {
  const of = (/** @type {string} */ rule, /** @type {string} */ key) => Number(values[`${rule}.${key}`] || 0);
  return {
    title: values.title,
    code: values.code,
    clock: values.clock,
    standings: values.standings === "on",
    deadline: { at: values.at, zone: values.zone, grace_minutes: Number(values.grace_minutes || 0) },
    opponents: opponents.map(({ rule }) => ({
      rule,
      opponent: values[`${rule}.opponent`],
      games: of(rule, "games"),
      points: of(rule, "points"),
    })),
    late: late.map(({ rule }) => ({
      rule,
      a_day: of(rule, "a_day"),
      percent_a_day: of(rule, "percent_a_day"),
      accepted_days: values[`${rule}.accepted_days`] === "" ? null : of(rule, "accepted_days"),
    })),
  };
}

/** @param {Course} course @param {Teaching} teaching @param {() => void} reload */
export function basicsSection(course, teaching, reload) {
  const { basics } = teaching;
  const { deadline } = basics;
  const titles = new Map(course.rules.map((rule) => [rule.name, say(rule.title_message, rule.title)]));
  const titleOf = (/** @type {string} */ rule) => titles.get(rule) ?? rule;
  const zoneChoices = zones(deadline.zone).map((zone) => [zone, zone]);
  const code = { type: "text", name: "code", maxlength: 64, value: teaching.code, autocomplete: "off" };
  const clock = { type: "text", name: "clock", value: basics.clock, required: true };
  const at = { type: "datetime-local", name: "at", value: deadline.at };
  const form = submitForm(
    async (values) => {
      await ask(`/api/courses/${course.id}/basics`, basicsFrom(values, basics));
      toast(t("course.saved"));
      reload();
    },
    h(
      "div.fields",
      field(t("course.title"), titleInput(basics.title)),
      inputField(t("course.code"), code, t("course.code.none")),
      inputField(t("basics.clock"), clock, t("basics.clock.how")),
    ),
    h(
      "div.fields",
      inputField(t("course.deadline"), at, t("basics.deadline.how")),
      field(t("basics.zone"), select(zoneChoices, deadline.zone, { name: "zone" })),
      field(t("basics.grace"), numberInput("grace_minutes", deadline.grace_minutes, { min: 0 })),
    ),
    basics.opponents.length > 0 &&
      h(
        "div.group",
        h("h3", t("basics.opponents")),
        ...basics.opponents.map((one) => opponentFields(one, titleOf(one.rule))),
      ),
    basics.late.length > 0 &&
      h("div.group", h("h3", t("basics.lateness")), ...basics.late.map((one) => lateFields(one, titleOf(one.rule)))),
    h(
      "label.tick",
      h("input", { type: "checkbox", name: "standings", checked: teaching.standings }),
      h("span", t("basics.standings"), h("small.dim", ` ${t("basics.standings.how")}`)),
    ),
    submitButton("course.save"),
  );
  return h("section", h("details.settings", h("summary", t("course.settings")), form));
}

/** @param {Course} course @param {Teaching} teaching @param {() => void} reload */
export function fileSection(course, teaching, reload) {
  const area = h("textarea.code", { name: "toml", rows: 18, spellcheck: "false" }, teaching.toml);
  const form = submitForm(
    async ({ toml }) => {
      const deadline = teaching.in_file ? null : course.deadline;
      await ask(`/api/courses/${course.id}/settings`, { title: course.title, code: teaching.code, deadline, toml });
      toast(t("course.saved"));
      reload();
    },
    field(t("course.toml"), area, t("course.toml.how")),
    submitButton("course.save"),
  );
  return h("section", h("details.settings.file", h("summary", t("course.toml")), form));
}
