// What every page uses: elements, words in the reader's language, requests, what is remembered. Knows no game.

/** @typedef {{ text: string, side?: number, tone?: number, strong?: boolean }} Mark */
/** @typedef {{ marks: Mark[], cells: number[] }} BoardData */
/** @typedef {[number, number]} Cell */
/** @typedef {{ kind: string, cells: Cell[], board: BoardData, points?: number }} Step */
/** @typedef {{ move: string, cells?: Cell[], points?: number }} Move */
/** @typedef {{ winner?: number | null, reason: string }} Outcome */
/**
 * @typedef {{ text: string, side: number, board: BoardData, legal?: Move[], scores?: [number, number], outcome?:
 *   Outcome }} Position
 */
/** @typedef {{ move: string, side: number, steps: Step[], scores?: [number, number], seconds?: number }} Ply */
/**
 * @typedef {{ game: string, title: string, sides: [string, string], options: Record<string, number | string>, rows:
 *   number, cols: number, row_labels: string[], col_labels: string[] }} Frame
 */
/** @typedef {{ name: string, default?: number | string, low?: number, high?: number, choices?: string[] }} Option */
/**
 * @typedef {{ name: string, title: string, sides: [string, string], options: Option[], players: string[], clock:
 *   string, boards: Record<string, number | string>[] }} Game
 */

export const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element; texts among its children are shown as texts.
 * @param {string} tag
 * @param {Record<string, any>} [attributes] functions listen to events, other values become attributes
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  return /** @type {HTMLElement} */ (fill(document.createElement(tag), attributes, children));
}

/**
 * The same for pictures.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | null | undefined | false)} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  return /** @type {SVGElement} */ (fill(document.createElementNS(SVG, tag), attributes, children));
}

// Control characters but tabs and line ends, and what turns the direction of words, as `ludus.display` has it.
const HARMFUL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text that strangers may have written, without what is obeyed rather than shown. @param {string} text */
const visible = (text) => text.replace(HARMFUL, "\ufffd");

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes
 * @param {(Node | string | null | undefined | false)[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (![false, null, undefined].includes(value)) element.setAttribute(name, visible(String(value)));
  }
  const shown = children.filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map((child) => (typeof child === "string" ? visible(child) : child)));
  return element;
}

/** What the browser keeps for next time; one that keeps nothing is no reason to fail. */
export const kept = {
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
      // then it is chosen anew next time
    }
  },
};

/** @type {Record<string, string>} */
let words = {};

export const LANGUAGES = { en: "English", "zh-Hant": "繁體中文" };

/** Speaks a language from now on. @param {string} lang */
export async function speak(lang) {
  const known = lang in LANGUAGES ? lang : "en";
  words = await wordsOf("common", known);
  document.documentElement.lang = known;
}

/** @param {string} name @param {string} [lang] @returns {Promise<Record<string, string>>} */
async function wordsOf(name, lang = document.documentElement.lang) {
  return (await fetch(`/static/words/${lang}/${name}.json`)).json();
}

/**
 * Fetches what a page has for itself: its words and its style sheet; and what the server says in the reader's language.
 * @param {string} name
 */
export async function dress(name) {
  const href = `/static/pages/${name}.css`;
  const worn = document.querySelector(`link[href="${href}"]`);
  const sheet = /** @type {HTMLLinkElement} */ (h("link", { rel: "stylesheet", href }));
  const styled = worn ? null : new Promise((done) => (sheet.onload = sheet.onerror = done));
  if (!worn) document.head.append(sheet);
  const [more] = await Promise.all([wordsOf(name), styled, learnt()]);
  words = { ...words, ...more };
}

/**
 * Says something in the reader's language.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  const text = words[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** @param {string} key @param {string} fallback */
export function tOr(key, fallback) {
  return words[key] ?? fallback;
}

/** @param {string} key @param {number} number */
export function counted(key, number) {
  return t(number === 1 && `${key}.one` in words ? `${key}.one` : key, {
    n: number.toLocaleString(document.documentElement.lang),
  });
}

/** Goes to another page without loading anew; the page around the pages hears of it. @param {string} address */
export function go(address) {
  history.pushState(null, "", address);
  dispatchEvent(new Event("go"));
}

/** Learns the sentences of the server in the reader's language, and gives what says them. */
async function learnt() {
  const { learn, translated } = await import("./said.js");
  await learn(document.documentElement.lang);
  return translated;
}

/** The name of who is signed in, as the browser remembers it: for the header, and no proof of anything. */
export function signedIn() {
  const found = /(?:^|; )ludus_name=([^;]+)/.exec(document.cookie);
  try {
    return found ? decodeURIComponent(found[1]) : "";
  } catch {
    return "";
  }
}

/** Speaks a language from now on, and after the next load too. @param {string} lang */
export async function settle(lang) {
  await speak(lang);
  kept.write("lang", lang);
}

export class Refusal extends Error {
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
 * Asks the server; a refusal becomes an error with the server's sentence.
 * @param {string} path
 * @param {unknown} [body] given, the request is a POST
 * @returns {Promise<any>}
 */
export async function ask(path, body) {
  const answer = await fetch(
    path,
    body === undefined
      ? {}
      : { method: "POST", headers: { "Content-Type": "application/json", "X-Ludus": "1" }, body: JSON.stringify(body) },
  ).catch(() => {
    throw new Refusal(t("offline"));
  });
  if (answer.ok) return answer.json();
  const told = await answer.json().catch(() => ({}));
  throw new Refusal(told.detail ? (await learnt())(told.detail) : t("offline"), answer.status, told.field);
}

/** @type {Promise<{ bot: number, submission: number, text: number }> | undefined} */
let told;

/** How many bytes the server takes. @returns {Promise<{ bot: number, submission: number, text: number }>} */
export function limits() {
  told ??= ask("/api/limits").catch((error) => {
    told = undefined;
    throw error;
  });
  return told;
}

let hide = 0;

/** Shows a sentence for a while. @param {string} sentence */
export function toast(sentence) {
  const place = /** @type {HTMLElement} */ (document.getElementById("toast"));
  place.textContent = sentence;
  place.classList.add("shown");
  clearTimeout(hide);
  hide = setTimeout(() => place.classList.remove("shown"), 4000);
}

/**
 * Copies a text, or shows it where the browser copies none: an address without https.
 * @param {string} text @param {string} [done] what is said when it is copied
 */
export async function copy(text, done = t("match.copied")) {
  try {
    await navigator.clipboard.writeText(text);
    toast(done);
  } catch {
    toast(text);
  }
}

/** Tells a screen reader. @param {string} sentence */
export function say(sentence) {
  const place = /** @type {HTMLElement} */ (document.getElementById("said"));
  place.textContent = sentence;
}

/** Runs something for a click, and shows what the server refuses. @param {() => unknown} work */
export function trying(work) {
  return async () => {
    try {
      await work();
    } catch (error) {
      toast(error instanceof Refusal ? error.message : t("offline"));
      if (!(error instanceof Refusal)) console.error(error);
    }
  };
}

export const calm = matchMedia("(prefers-reduced-motion: reduce)");

export { personName, playerName } from "./players.js";

/** @param {string} game @param {string} title */
export const gameName = (game, title) => tOr(`game.${game}`, title);

/** @param {string} name */
export const sideName = (name) => tOr(`side.${name}`, name);

/** The mark of a side beside its name: never colour alone. @param {number} side */
export function sideMark(side) {
  return svg(
    "svg",
    { class: `mark side${side}`, viewBox: "0 0 20 20", "aria-hidden": "true" },
    side === 0
      ? svg("circle", { cx: 10, cy: 10, r: 8, class: "solid" })
      : svg("circle", { cx: 10, cy: 10, r: 6, class: "ring" }),
  );
}

/** Small signs, drawn: not every font has them. */
const SIGNS = {
  first: "M5 4 V16 M16 4 L8 10 L16 16 Z",
  back: "M14 4 L6 10 L14 16 Z",
  next: "M6 4 L14 10 L6 16 Z",
  last: "M15 4 V16 M4 4 L12 10 L4 16 Z",
  person: "M10 3 A3.5 3.5 0 1 1 9.99 3 Z M3.5 17 A6.5 6 0 0 1 16.5 17 Z",
  loud: "M3 8 H6 L10 4 V16 L6 12 H3 Z M13 7 Q15 10 13 13 M15.5 5 Q19 10 15.5 15",
  still: "M3 8 H6 L10 4 V16 L6 12 H3 Z M13 8 L17 12 M17 8 L13 12",
};

/** @param {keyof typeof SIGNS} name */
export function sign(name) {
  return svg("svg", { class: "sign", viewBox: "0 0 20 20", "aria-hidden": "true" }, svg("path", { d: SIGNS[name] }));
}
