// What every page uses: elements, words in the page's language, requests, stored settings. Knows no game.

/** @typedef {{ text: string, side?: number, tone?: number, strong?: boolean, piece?: string }} Mark */
/** @typedef {{ marks: Mark[], cells: number[] }} BoardData */
/** @typedef {[number, number]} Cell */
/** @typedef {{ kind: string, cells: Cell[], board: BoardData, points?: number }} Step */
/** @typedef {{ move: string, cells?: Cell[], points?: number }} Move */
/** @typedef {{ winner?: number | null, reason: string }} Outcome */
/**
 * @typedef {{ text: string, side: number, board: BoardData, legal?: Move[], scores?: [number, number], outcome?:
 *   Outcome }} Position
 */
/**
 * @typedef {{ move: string, side: number, steps: Step[], effects?: Message[], scores?: [number, number],
 *   seconds?: number }} Ply
 */
/**
 * @typedef {{ game: string, title: string, sides: [string, string], options: Record<string, number | string>, rows:
 *   number, cols: number, row_labels: string[], col_labels: string[] }} Frame
 */
/** @typedef {{ name: string, default?: number | string, low?: number, high?: number, choices?: string[] }} Option */
/**
 * @typedef {{ name: string, title: string, sides: [string, string], options: Option[], players: string[], clock:
 *   string, boards: Record<string, number | string>[], levels: { elo?: number, sees: Message }[] }} Game
 */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | null | undefined | false} Child what an element can contain; text is shown as text */
/** @typedef {Record<string, any>} Attributes functions listen to events, other values become attributes */
/**
 * The element that a selector such as "p.dim" makes.
 * @template {string} Selector
 * @typedef {Selector extends `${infer Tag}.${string}` ? Made<Tag> : Made<Selector>} ElementOf
 */
/**
 * @template {string} Tag
 * @typedef {Tag extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[Tag] : HTMLElement} Made
 */

/**
 * Returns a new element, as in `h("p.dim", { title }, "text")`. Attributes may be left out. A button submits nothing
 * unless its type says so.
 * @template {string} Selector
 * @param {Selector} selector the tag and its classes
 * @param {Attributes | Child} [attributes]
 * @param {...Child} children
 * @returns {ElementOf<Selector>}
 */
export function h(selector, attributes, ...children) {
  const [tag, ...classes] = selector.split(".");
  const element = document.createElement(tag);
  if (element instanceof HTMLButtonElement) element.type = "button";
  return /** @type {ElementOf<Selector>} */ (fill(element, classes, attributes, children));
}

/**
 * Returns a new SVG element.
 * @param {string} selector the tag and its classes
 * @param {Attributes | Child} [attributes]
 * @param {...Child} children
 */
export function svg(selector, attributes, ...children) {
  const [tag, ...classes] = selector.split(".");
  return fill(/** @type {SVGElement} */ (document.createElementNS(SVG, tag)), classes, attributes, children);
}

// Control characters except tabs and line ends, and characters that change the direction of text.
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Returns a text with the control characters made visible: other people may have written it. @param {string} text */
const visible = (text) => text.replace(CONTROL_CHARACTERS, "\ufffd");

/**
 * @template {HTMLElement | SVGElement} T
 * @param {T} element @param {string[]} classes @param {Attributes | Child} attributes @param {Child[]} children
 */
function fill(element, classes, attributes, children) {
  if (!attributes || typeof attributes === "string" || attributes instanceof Node)
    return fill(element, classes, {}, [attributes, ...children]);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (![false, null, undefined].includes(value)) element.setAttribute(name, visible(String(value)));
  }
  element.classList.add(...classes);
  const shown = children.filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map((child) => (typeof child === "string" ? visible(child) : child)));
  return element;
}

/** Settings that the browser keeps; without storage everything still works. */
export const storage = {
  /** @param {string} key */
  read(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  /** @param {string} key @param {string} value */
  write(key, value) {
    try {
      localStorage.setItem(key, value);
    } catch {
      // then it is chosen again next time
    }
  },
};

/** Returns the level of the engine that the person played last in a game, or the first one. @param {string} game */
export const lastLevel = (game) => Number(storage.read(`level.${game}`) ?? 1);

/** @type {Record<string, string>} */
let words = {};

export const LANGUAGES = { en: "English", "zh-Hant": "繁體中文" };

/** Changes the language of the page. @param {string} lang */
export async function setLanguage(lang) {
  const known = lang in LANGUAGES ? lang : "en";
  words = await fetchWords("common", known);
  document.documentElement.lang = known;
}

/** @param {string} name @param {string} [lang] @returns {Promise<Record<string, string>>} */
async function fetchWords(name, lang = document.documentElement.lang) {
  return (await fetch(`/static/messages/${lang}/${name}.json`)).json();
}

/** @type {{ lang: string, texts: Promise<Record<string, string>> } | undefined} */
let serverWords;

/** Loads the texts of the server's messages in the page's language, once. */
export async function loadServerWords() {
  const { lang } = document.documentElement;
  if (serverWords?.lang !== lang) serverWords = { lang, texts: fetchWords("server").catch(() => ({})) };
  const texts = await serverWords.texts;
  if (document.documentElement.lang === lang) words = { ...texts, ...words };
}

/**
 * Loads the words and the style sheet of a page, and the server's sentences in the page's language.
 * @param {string} name
 */
export async function loadAssets(name) {
  const [more] = await Promise.all([fetchWords(name), applyStyle(`/static/pages/${name}.css`), loadServerWords()]);
  words = { ...words, ...more };
}

/** Loads more words, such as those of another page. @param {string} name */
export async function loadWords(name) {
  words = { ...(await fetchWords(name)), ...words };
}

/** Loads a style sheet once, or applies it again. @param {string} href */
function applyStyle(href) {
  const known = /** @type {HTMLLinkElement | null} */ (document.querySelector(`link[href="${href}"]`));
  if (known) return void (known.media = "all");
  const sheet = h("link", { rel: "stylesheet", href });
  const loaded = new Promise((done) => (sheet.onload = sheet.onerror = done));
  document.head.append(sheet);
  return loaded;
}

/** Puts the style sheets of all pages aside: the next page applies its own. */
export function clearPageStyles() {
  for (const sheet of document.querySelectorAll('link[href^="/static/pages/"]')) sheet.setAttribute("media", "not all");
}

/** @typedef {{ code: string, params: Record<string, any> }} Message what the server says, as data */

/**
 * Returns the words for a key in the language of the page, with values in its {placeholders}: texts, numbers, messages,
 * or lists of these. With `n: 1` the key's form for one is used. `ludus.messages` has the same rules.
 * @param {string} key
 * @param {Record<string, any>} [values]
 */
export function t(key, values = {}) {
  return fillText(words, key, values);
}

/**
 * The same with given texts.
 * @param {Record<string, string>} texts @param {string} key @param {Record<string, any>} values
 */
export function fillText(texts, key, values) {
  const text = (values.n === 1 ? texts[`${key}.one`] : undefined) ?? texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? valueText(texts, values[name]) : whole));
}

/** @param {Record<string, string>} texts @param {any} value @returns {string} */
function valueText(texts, value) {
  if (Array.isArray(value)) return value.map((one) => valueText(texts, one)).join(texts["list.separator"]);
  if (value?.code) return fillText(texts, value.code, value.params);
  return typeof value === "number" && !Number.isInteger(value) ? sixDigits(value) : String(value);
}

/** Returns a number with six significant digits, as Python's format `g` does. @param {number} value */
function sixDigits(value) {
  const [digits, power] = value.toExponential(5).split("e");
  if (Number(power) >= -4 && Number(power) < 6) return String(Number(value.toPrecision(6)));
  return `${Number(digits)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

/**
 * Returns a message of the server in the language of the page; `text` is shown where there is none, as in old data.
 * @param {Message | null | undefined} message @param {string | null} [text]
 */
export function say(message, text = "") {
  return message && (message.code in words || !text) ? t(message.code, message.params) : (text ?? "");
}

/** Returns an error or other words as a full sentence; a file name at its start stays. @param {string} words */
export const sentence = (words) => {
  const start = /^\S*\.\w/.test(words) ? words.slice(0, 1) : words.slice(0, 1).toUpperCase();
  return words && `${start}${words.slice(1)}${/[\p{L}\p{N}'")%]$/u.test(words) ? t("stop") : ""}`;
};

/** Returns what is between two sentences: nothing after a full stop that has its own room, as in Chinese. */
export const gap = () => (t("stop") === "。" ? "" : " ");

/** Joins the facts that are known. @param {...(string | number | null | undefined | false)} facts */
export const joinFacts = (...facts) => facts.filter(Boolean).join(" · ");

/**
 * Returns the words for a key as `t` does, or the fallback if there are none.
 * @param {string} key @param {string} fallback @param {Record<string, any>} [values]
 */
export const tOr = (key, fallback, values) => (key in words ? t(key, values) : fallback);

/** Returns a number as people write it in the language of the page. @param {number} number */
export const numberText = (number) => number.toLocaleString(document.documentElement.lang);

/**
 * Returns the words for a number of things, with a form of its own for one.
 * @param {string} key @param {number} number
 */
export function tCount(key, number) {
  return t(number === 1 && `${key}.one` in words ? `${key}.one` : key, { n: numberText(number) });
}

/** Goes to another page without a reload; main.js listens. @param {string} address */
export function go(address) {
  history.pushState(null, "", address);
  dispatchEvent(new Event("go"));
}

/** Shows another page in place of this one: the way back does not lead here. @param {string} address */
export function showInstead(address) {
  history.replaceState(null, "", address);
  dispatchEvent(new Event("go"));
}

/** Returns the name of the signed-in person from a cookie: for the header only, it proves nothing. */
export function signedIn() {
  const found = /(?:^|; )ludus_name=([^;]+)/.exec(document.cookie);
  try {
    return found ? decodeURIComponent(found[1]) : "";
  } catch {
    return "";
  }
}

/** Changes the language of the page and stores it. @param {string} lang */
export async function saveLanguage(lang) {
  await setLanguage(lang);
  storage.write("lang", lang);
}

/**
 * Returns the code at the end of an address: an invitation, or a student's own. Behind the # no server sees it.
 * @param {string} [address]
 */
export function addressCode(address = location.hash) {
  return address.split("#")[1]?.replace(/[^\w-]/g, "") ?? "";
}

export class RequestError extends Error {
  /**
   * @param {string} sentence @param {number} [status] of the answer; 0 without one
   * @param {string} [field] the field of a form that it is about, where it is about one
   */
  constructor(sentence, status = 0, field = "") {
    super(sentence);
    this.status = status;
    this.field = field;
  }
}

/**
 * Sends a request and returns the answer; throws a RequestError with the server's message.
 * @param {string} path @param {RequestInit} [settings]
 */
export async function request(path, settings = {}) {
  const answer = await fetch(path, settings).catch(() => {
    dispatchEvent(new Event("unreachable"));
    throw new RequestError(t("offline"));
  });
  if (answer.ok) return answer;
  const refusal = await answer.json().catch(() => ({}));
  await loadServerWords();
  throw new RequestError(say(refusal.message, refusal.detail) || t("offline"), answer.status, refusal.field);
}

/**
 * Sends a body and returns the JSON answer.
 * @param {string} path @param {BodyInit} body @param {string} [type] of its contents
 */
export async function post(path, body, type = "application/octet-stream") {
  return (await request(path, { method: "POST", headers: { "Content-Type": type, "X-Ludus": "1" }, body })).json();
}

/**
 * Sends a request and returns the JSON answer.
 * @param {string} path @param {unknown} [data] given, it is posted
 * @returns {Promise<any>}
 */
export async function ask(path, data) {
  return data === undefined ? (await request(path)).json() : post(path, JSON.stringify(data), "application/json");
}

/** Returns what went wrong, in words; an error of the page's own is logged too. @param {unknown} error */
export function errorText(error) {
  if (error instanceof RequestError) return error.message;
  console.error(error);
  return t("offline");
}

/** @type {Promise<{ bot: number, submission: number, collected: number, text: number }> | undefined} */
let limitsRequest;

/**
 * Returns the size limits of uploads in bytes.
 * @returns {Promise<{ bot: number, submission: number, collected: number, text: number }>}
 */
export function limits() {
  limitsRequest ??= ask("/api/limits").catch((error) => {
    limitsRequest = undefined;
    throw error;
  });
  return limitsRequest;
}

let hideTimer = 0;

/** Shows a message for a few seconds. @param {string} sentence */
export function toast(sentence) {
  const place = /** @type {HTMLElement} */ (document.getElementById("toast"));
  place.textContent = sentence;
  place.classList.add("shown");
  clearTimeout(hideTimer);
  hideTimer = setTimeout(() => place.classList.remove("shown"), 4000);
}

/**
 * Copies a text, or shows it where the browser cannot copy (an address without https).
 * @param {string} text @param {string} [done] the message when it is copied
 */
export async function copy(text, done = t("match.copied")) {
  try {
    await navigator.clipboard.writeText(text);
    toast(done);
  } catch {
    toast(text);
  }
}

/** Announces a sentence to screen readers. @param {string} sentence */
export function announce(sentence) {
  const place = /** @type {HTMLElement} */ (document.getElementById("announcement"));
  place.textContent = sentence;
}

/** Returns an event handler that runs something and shows a failed request. @param {() => unknown} work */
export function handler(work) {
  return async () => {
    try {
      await work();
    } catch (error) {
      toast(errorText(error));
    }
  };
}

export const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

export const PROTOCOLS = ["lines", "ugi", "files", "class", "python", "algorithm", "console"];

/**
 * Returns the display name of a player, from the text that identifies it everywhere ("mcts:playouts=2000").
 * `ludus.messages.names` has the same rules.
 * @param {string} text
 */
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
  return rest ? t("player.described", { name: called, options: rest.split(",").map(playerOption) }) : called;
}

/** Returns the level of the engine that a player's text names, or NaN. @param {string} text */
export const levelOf = (text) => Number(/^engine:level=(\d+)$/.exec(text)?.[1]);

/** Returns the words for one option of a player, such as `depth=4`. @param {string} text */
function playerOption(text) {
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

/**
 * Returns the game that a page begins with: the wanted one, the one used last, or the first.
 * @param {{ name: string }[]} games @param {string | null} [wanted]
 */
export function initialGame(games, wanted) {
  const known = [wanted, storage.read("game")].find((name) => games.some((game) => game.name === name));
  return known ?? games[0].name;
}

/** Returns the key of a game's own words. @param {string} game @param {string} key */
export const gameKey = (game, key) => `${game.replaceAll("-", "_")}.${key}`;

/** @param {string} game @param {string} title */
export const gameName = (game, title) => tOr(gameKey(game, "title"), title);

/** @param {string} game @param {string} option */
export const optionName = (game, option) => tOr(gameKey(game, `option.${option}`), option);

/** @param {string} game @param {string | number} value */
export const optionValue = (game, value) => tOr(gameKey(game, `choice.${value}`), String(value));

/** @param {string} name */
export const sideName = (name) => tOr(`side.${name}`, name);

/** Returns the mark of a side, so that sides differ by more than colour. @param {number} side */
export function sideMark(side) {
  return svg(
    "svg",
    { class: `mark side${side}`, viewBox: "0 0 20 20", "aria-hidden": "true" },
    side === 0 ? svg("circle.solid", { cx: 10, cy: 10, r: 8 }) : svg("circle.ring", { cx: 10, cy: 10, r: 6 }),
  );
}

/** Icons as paths: not every font has them. */
const ICONS = {
  first: "M5 4 V16 M16 4 L8 10 L16 16 Z",
  back: "M14 4 L6 10 L14 16 Z",
  next: "M6 4 L14 10 L6 16 Z",
  last: "M15 4 V16 M4 4 L12 10 L4 16 Z",
  person: "M10 3 A3.5 3.5 0 1 1 9.99 3 Z M3.5 17 A6.5 6 0 0 1 16.5 17 Z",
  menu: "M3 5 H17 M3 10 H17 M3 15 H17",
  loud: "M3 8 H6 L10 4 V16 L6 12 H3 Z M13 7 Q15 10 13 13 M15.5 5 Q19 10 15.5 15",
  bell: "M5 13 Q5.5 12 5.5 9 A4.5 4.5 0 0 1 14.5 9 Q14.5 12 15 13 Z M8.5 15.5 H11.5",
  "bell-off": "M5 13 Q5.5 12 5.5 9 A4.5 4.5 0 0 1 14.5 9 Q14.5 12 15 13 Z M4 3 L16 17",
  still: "M3 8 H6 L10 4 V16 L6 12 H3 Z M13 8 L17 12 M17 8 L13 12",
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  return svg("svg.sign", { viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}
