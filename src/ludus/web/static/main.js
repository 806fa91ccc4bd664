// The page around the pages: which one is shown at which address, the header, theme and language. Knows no game.

import { LANGUAGES, Refusal, ask, go, h, kept, say, settle, sign, signedIn, speak, t, toast } from "./page.js";

/**
 * A page fills an element and gives what ends it.
 * @typedef {(main: HTMLElement, words: string[]) => Promise<(() => void) | void>} Page
 */

/**
 * For each page what may follow its name in an address; the server reads the same file.
 * @type {Record<string, string>}
 */
let addresses = {};

/** The first word of an address names its page; the others are the page's own. @param {string} path */
function pageOf(path) {
  const [name, ...words] = path
    .split("/")
    .slice(1)
    .map(decoded)
    .filter((word, place) => word || !place);
  return { name: name || "home", words };
}

/** @param {string} word of an address, perhaps badly written */
function decoded(word) {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

/**
 * Refuses an address that no page has. What the server refuses is asked for once more, for its reason.
 * @param {string} name @param {string[]} words
 */
async function check(name, words) {
  if (name === "api")
    await ask(location.pathname + location.search).catch((error) => {
      throw error instanceof Refusal && error.status === 404 ? new Refusal("", 404) : error;
    });
  if (!Object.hasOwn(addresses, name) || !new RegExp(`^(?:${addresses[name]})$`).test(words.join("/")))
    throw new Refusal("", 404);
}

/** @type {(() => void) | void} */
let leave;
let shown = 0;

/** Shows the page of the address. */
async function route() {
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  const turn = ++shown;
  const { name, words } = pageOf(location.pathname);
  leave?.();
  leave = undefined;
  header();
  try {
    await check(name, words);
    const { show } = /** @type {{ show: Page }} */ (await import(`./pages/${name}.js`));
    if (turn !== shown) return;
    main.replaceChildren();
    main.className = "";
    const ends = await show(main, words);
    if (turn === shown) leave = ends;
    else ends?.();
  } catch (error) {
    const said = await failure(error);
    if (turn !== shown) return;
    main.className = "";
    main.replaceChildren(said);
  }
}

/** What is shown in place of a page that cannot be. @param {unknown} error */
async function failure(error) {
  const { status, message } = error instanceof Refusal ? error : { status: (await reachable()) ? -1 : 0, message: "" };
  if (status === 401) return closed();
  if (status === 0 || status === 502 || status === 504)
    return problem("lost.unreachable", t("lost.unreachable.how"), true);
  if (status === 404 || status === 422)
    return problem("lost.title", (status === 404 && sentence(message)) || t("lost.address"), false);
  if (status === -1) console.error(error);
  return problem("lost.refused", sentence(message) || t("lost.broken"), status < 0 || status === 429 || status >= 500);
}

/** A refusal as a sentence of its own. @param {string} words */
const sentence = (words) =>
  words && `${words[0].toUpperCase()}${words.slice(1)}${/[\p{L}\p{N}'")]$/u.test(words) ? t("stop") : ""}`;

async function reachable() {
  return fetch("/healthz").then(
    ({ ok }) => ok,
    () => false,
  );
}

/** @param {string} title @param {string} why @param {boolean} again whether another try may help */
function problem(title, why, again) {
  document.title = `${t(title)} · Ludus`;
  const retry = h(
    "button",
    {
      class: "button",
      type: "button",
      click: async () => {
        if (await reachable()) location.reload();
        else toast(t("offline"));
      },
    },
    t("lost.retry"),
  );
  return h(
    "div",
    { class: "empty" },
    h("h1", {}, t(title)),
    h("p", {}, why),
    h(
      "p",
      { class: "actions" },
      again && retry,
      h("a", { class: again ? "quiet" : "button", href: "/" }, t("lost.home")),
    ),
  );
}

/** A page that needs an account leads there, and back. */
function closed() {
  document.title = `${t("lost.closed")} · Ludus`;
  const href = `/account?next=${encodeURIComponent(location.pathname + location.search)}`;
  return h(
    "div",
    { class: "empty" },
    h("h1", {}, t("lost.closed")),
    h("p", {}, h("a", { class: "button", href }, t("nav.sign-in"))),
  );
}

/** Shows the page that was gone to, from its top. */
async function arrive() {
  await route();
  scrollTo(0, 0);
  document.getElementById("main")?.focus({ preventScroll: true });
  say(document.title);
}

function dark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function header() {
  const links = [
    ["/", "nav.home"],
    ["/play", "nav.play"],
    ["/analysis", "nav.analysis"],
    ["/ladder", "nav.ladder"],
    ["/bots", "nav.bots"],
    ["/tournaments", "nav.tournaments"],
    ["/courses", "nav.courses"],
  ];
  const theme = h(
    "button",
    {
      class: "quiet",
      type: "button",
      "aria-label": t(dark() ? "theme.light" : "theme.dark"),
      title: t(dark() ? "theme.light" : "theme.dark"),
      click: turnTheme,
    },
    dark() ? "☀" : "☾",
  );
  const other = document.documentElement.lang === "en" ? "zh-Hant" : "en";
  const language = h(
    "button",
    { class: "quiet", type: "button", lang: other, click: () => turnLanguage(other) },
    LANGUAGES[other],
  );
  const logo = h(
    "a",
    { class: "logo", href: "/", "aria-label": t("nav.logo") },
    h("span", { class: "dot0", "aria-hidden": "true" }),
    h("span", { class: "dot1", "aria-hidden": "true" }),
    "Ludus",
  );
  const name = signedIn();
  const person = h(
    "a",
    {
      class: name ? "quiet me known" : "quiet me",
      href: "/account",
      "aria-label": name ? t("nav.me", { name }) : null,
      "aria-current": location.pathname === "/account" ? "page" : null,
    },
    sign("person"),
    h("span", {}, name || t("nav.sign-in")),
  );
  document
    .getElementById("top")
    ?.replaceChildren(
      logo,
      h(
        "nav",
        { "aria-label": t("nav.label") },
        ...links.map(([href, key]) =>
          h(
            "a",
            { href, "aria-current": pageOf(location.pathname).name === pageOf(href).name ? "page" : null },
            t(key),
          ),
        ),
      ),
      h(
        "div",
        { class: "tools" },
        h(
          "button",
          {
            class: "quiet",
            type: "button",
            "aria-label": t("help.title"),
            title: `${t("help.title")} (?)`,
            click: help,
          },
          "?",
        ),
        language,
        theme,
        person,
      ),
    );
  for (const element of document.querySelectorAll("[data-words]"))
    element.textContent = t(/** @type {HTMLElement} */ (element).dataset.words ?? "");
}

function turnTheme() {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  kept.write("theme", document.documentElement.dataset.theme);
  header();
}

/** @param {string} lang */
async function turnLanguage(lang) {
  await settle(lang);
  if (signedIn()) ask("/api/account/language", { language: lang }).catch(() => {}); // this page speaks it all the same
  await route();
}

/** Shows the keys. */
function help() {
  document.querySelector("dialog")?.remove();
  const keys = ["arrows", "enter", "steps", "space", "flip", "undo", "hint", "help"];
  const box = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      {
        class: "help",
        "aria-labelledby": "help-title",
        click: (/** @type {MouseEvent} */ event) => event.target === box && box.close(),
      },
      h("h2", { id: "help-title" }, t("help.title")),
      h(
        "dl",
        {},
        ...keys.flatMap((key) => [
          h(
            "dt",
            {},
            ...t(`key.${key}`)
              .split(" ")
              .map((one) => h("kbd", {}, one)),
          ),
          h("dd", {}, t(`help.${key}`)),
        ]),
      ),
      h("button", { class: "button", type: "button", click: () => box.remove() }, t("help.close")),
    )
  );
  document.body.append(box);
  if (box.showModal) box.showModal();
  else box.setAttribute("open", "");
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (
    !link ||
    link.origin !== location.origin ||
    link.hasAttribute("download") ||
    link.target ||
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    event.button
  )
    return;
  if (link.hash && link.pathname === location.pathname) return;
  if (/^\/(api|static)\//.test(link.pathname)) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "?" && !(event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement))
    help();
});
addEventListener("popstate", route);
addEventListener("go", arrive);
addEventListener("unhandledrejection", () => toast(t("offline")));

[addresses] = await Promise.all([
  fetch("/static/pages/addresses.json").then((answer) => answer.json()),
  speak(document.documentElement.lang),
]);
await route();
