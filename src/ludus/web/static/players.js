// Names of players in the page's language, from the text that identifies a player everywhere ("mcts:playouts=2000").
// Knows how such a text is written; must not know pages. A name from the server comes first.

import { numberText, t, tOr } from "./page.js";

const PROTOCOLS = ["lines", "ugi", "files", "class", "python", "algorithm", "console"];

/** Returns the display name of a player. @param {string} text */
export function playerName(text) {
  if (text === "human") return t("player.human");
  if (text === "open") return t("player.open");
  if (text === "?") return t("player.unknown");
  if (/^bot:\d+(@\d+)?$/.test(text)) return t("player.removed");
  const colon = text.indexOf(":");
  const [name, rest] = colon < 0 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
  if (PROTOCOLS.includes(name) && rest) return rest;
  if (/^(\.{0,2}|~)\/|\/$/.test(text)) return text.split("/").filter(Boolean).pop() ?? text;
  if (rest && !rest.split(",").every((option) => /^\w+=[^=]+$/.test(option))) return text; // a name with a colon
  const called = tOr(`player.name.${name}`, name);
  const options = rest ? rest.split(",").map(optionName) : [];
  return options.length === 1 && name === "engine" && rest.startsWith("level=")
    ? t("player.level", { n: rest.slice("level=".length) })
    : [called, ...options].join(t("comma"));
}

/** Returns the words for one option of a player, such as `depth=4`. @param {string} text */
function optionName(text) {
  const [key, value = ""] = text.split("=", 2);
  const number = Number(value);
  const shown = value !== "" && Number.isFinite(number) ? numberText(number) : value;
  const single = number === 1 ? tOr(`player.option.${key}.one`, "") : "";
  return single || tOr(`player.option.${key}`, `${key} {n}`).replace("{n}", shown);
}

/**
 * Returns the name that the server knows, or else the display name of the player.
 * @param {string} text @param {string | null} [name]
 */
export const personName = (text, name) => name ?? playerName(text);
