// Names of players in the page's language, from the text that identifies a player everywhere ("mcts:playouts=2000").
// Knows how such a text is written; must not know pages. A name from the server comes first. `ludus.messages.names` has
// the same rules.

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
  if (/^engine:level=[^,]+$/.test(text)) return t("player.level", { n: rest.slice("level=".length) });
  const called = tOr(`player.name.${name}`, name);
  return rest ? t("player.described", { name: called, options: rest.split(",").map(optionName) }) : called;
}

/** Returns the words for one option of a player, such as `depth=4`. @param {string} text */
function optionName(text) {
  const [key, value = ""] = text.split("=", 2);
  const number = Number(value);
  const shown = number === 1 ? 1 : Number.isFinite(number) ? numberText(number) : value;
  if (!tOr(`player.option.${key}`, "")) return t("player.option", { name: key, value: shown });
  return t(`player.option.${key}`, { n: shown });
}

/**
 * Returns the name that the server knows, or else the display name of the player.
 * @param {string} text @param {string | null} [name]
 */
export const personName = (text, name) => name ?? playerName(text);
