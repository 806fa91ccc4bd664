// What the forms for a new match and a new tournament share: fields for the options of a game or a format, and clocks.
// Knows options only by the server's data.

import { field, select } from "./components.js";
import { h, optionName, optionValue, t } from "./page.js";

/** @import { Game, Option } from "./page.js" */

/**
 * Returns the field of an option. A number may stay empty: then its default holds.
 * @param {Option} option @param {string} label @param {string} name @param {(value: string) => string} valueName
 */
export function optionField(option, label, name, valueName) {
  const { choices, low, high, default: usual } = option;
  const words = choices?.map((value) => [value, valueName(value)]);
  const control = words
    ? select(words, String(usual), { name })
    : h("input", { type: "number", name, min: low, max: high, placeholder: usual ?? t("play.auto") });
  return field(label, control);
}

/** Returns the fields of a game's options; `fieldOptions(data, "option.")` reads them. @param {Game} game */
export const gameOptionFields = ({ name: game, options }) =>
  options.map((option) =>
    optionField(option, optionName(game, option.name), `option.${option.name}`, (value) => optionValue(game, value)),
  );

/**
 * Returns the values of fields with a common prefix, without empty ones.
 * @param {FormData} data @param {string} prefix
 */
export function fieldOptions(data, prefix) {
  const found = [...data].filter(([name, value]) => name.startsWith(prefix) && value !== "");
  return Object.fromEntries(found.map(([name, value]) => [name.slice(prefix.length), String(value)]));
}

/** Returns the choice of a clock. @param {string[]} clocks @param {Game} game has a clock of its own */
export function clockField(clocks, game) {
  const choices = [...new Set([...clocks, game.clock])].map((text) => [text, clockName(text)]);
  return field(t("play.clock"), select(choices, "none", { name: "clock" }));
}

/** Returns a clock in words. @param {string} text such as "60+1" or "3/move" @returns {string} */
export function clockName(text) {
  if (text === "none") return t("clock.none");
  if (text.startsWith("cpu:")) return t("clock.cpu", { clock: clockName(text.slice(4)) });
  const [, perMove] = /^([\d.]+)\/move$/.exec(text) ?? [];
  if (perMove) return t("clock.move", { n: perMove });
  const [, seconds, increment] = /^([\d.]+)(?:\+([\d.]+))?$/.exec(text) ?? [];
  if (!seconds) return text;
  const minutes = Number(seconds) / 60;
  const bank = Number.isInteger(minutes) ? t("clock.minutes", { n: minutes }) : t("clock.seconds", { n: seconds });
  return increment ? t("clock.increment", { bank, n: increment }) : bank;
}
