// What players are called in the reader's language, from the text that names a player everywhere
// ("mcts:playouts=2000"). Knows how such a text is written, and the words for it; must not know pages. A name that the
// server gives comes first.

import { t, tOr } from "./page.js";

const PROTOCOLS = ["lines", "ugi", "files", "class", "python", "algorithm", "console"];

/** The display name of a player, in the language of the page. @param {string} text */
export function playerName(text) {
  if (text === "human") return t("player.human");
  if (text === "open") return t("player.open");
  if (text === "?") return t("player.unknown");
  if (/^bot:\d+(@\d+)?$/.test(text)) return t("player.removed");
  const colon = text.indexOf(":");
  const [name, rest] = colon < 0 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
  if (PROTOCOLS.includes(name) && rest) return rest;
  if (/^(\.{0,2}|~)\/|\/$/.test(text)) return text.split("/").filter(Boolean).pop() ?? text;
  if (rest && !rest.split(",").every((option) => /^\w+=[^=]+$/.test(option))) return text; // a name that has a colon
  const called = tOr(`player.name.${name}`, name);
  const options = rest ? rest.split(",").map(optionName) : [];
  return options.length === 1 && name === "engine" && rest.startsWith("level=")
    ? t("player.level", { n: rest.slice("level=".length) })
    : [called, ...options].join(t("comma"));
}

/** One option of a player, as in `depth=4`. @param {string} text */
function optionName(text) {
  const [key, value = ""] = text.split("=", 2);
  const number = Number(value);
  const shown = value !== "" && Number.isFinite(number) ? number.toLocaleString(document.documentElement.lang) : value;
  const single = number === 1 ? tOr(`player.option.${key}.one`, "") : "";
  return single || tOr(`player.option.${key}`, `${key} {n}`).replace("{n}", shown);
}

/**
 * The name that the server knows for a person or a bot; without one, the display name of the player.
 * @param {string} text @param {string | null} [name]
 */
export const personName = (text, name) => name ?? playerName(text);
