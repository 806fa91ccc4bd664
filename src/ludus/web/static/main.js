// The frame around all pages: which page an address shows, the header, theme and language, and whether the server can
// be reached. Knows no game.

import { button, openDialog } from "./components.js";
import {
  LANGUAGES,
  RequestError,
  announce,
  ask,
  clearPageStyles,
  go,
  h,
  icon,
  saveLanguage,
  sentence,
  setLanguage,
  signedIn,
  storage,
  t,
  toast,
} from "./page.js";

/**
 * A page fills an element and returns a function that ends it.
 * @typedef {(main: HTMLElement, words: string[]) => Promise<(() => void) | void>} Page
 */

/**
 * For each page, a pattern for the rest of its address; the server has the same ones.
 * @type {Record<string, string>}
 */
let addresses = {};

/** Returns the page that an address names by its first word, and the other words. @param {string} path */
function parseAddress(path) {
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
 * Throws if no page has this address. An address that the server refused is requested again, for the reason.
 * @param {string} name @param {string[]} words
 */
async function checkAddress(name, words) {
  if (name === "api")
    await ask(location.pathname + location.search).catch((error) => {
      throw error instanceof RequestError && error.status === 404 ? new RequestError("", 404) : error;
    });
  if (!Object.hasOwn(addresses, name) || !new RegExp(`^(?:${addresses[name]})$`).test(words.join("/")))
    throw new RequestError("", 404);
}

const RETRY_MS = 1500;
const ANSWER_MS = 8000;

/** @type {(() => void) | void} */
let leave;
let shown = 0;

/** Shows the page of the current address. */
async function showPage() {
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  const turn = ++shown;
  const { name, words } = parseAddress(location.pathname);
  leave?.();
  leave = undefined;
  header();
  try {
    await checkAddress(name, words);
    const { show } = /** @type {{ show: Page }} */ (await import(`./pages/${name}.js`));
    if (turn !== shown) return;
    main.replaceChildren();
    clearPageStyles();
    main.className = "";
    const ends = await show(main, words);
    if (turn === shown) leave = ends;
    else ends?.();
  } catch (error) {
    const view = await errorView(error);
    if (turn !== shown) return;
    main.className = "";
    main.replaceChildren(view);
  }
}

/** Returns what is shown in place of a page that failed. @param {unknown} error */
async function errorView(error) {
  const { status, message } =
    error instanceof RequestError ? error : { status: (await isReachable()) ? -1 : 0, message: "" };
  if (status === 401) return signInView();
  if (status === 0 && !navigator.onLine) return problemView("lost.offline", t("lost.offline.how"), true);
  if (status === 0 || status === 502 || status === 504)
    return problemView("lost.unreachable", t("lost.unreachable.how"), true);
  if (status === 404 || status === 422)
    return problemView("lost.title", (status === 404 && sentence(message)) || t("lost.address"), false);
  if (status === -1) console.error(error);
  return problemView(
    "lost.refused",
    sentence(message) || t("lost.broken"),
    status < 0 || status === 429 || status >= 500,
  );
}

/** Returns whether the server answers. */
async function isReachable() {
  return fetch("/healthz", { cache: "no-store", signal: AbortSignal.timeout?.(ANSWER_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

let isLost = false;

/** Shows a banner until the server answers; nothing is shown if it answers at once. */
async function checkConnection() {
  if (isLost) return;
  isLost = true;
  const banner = h("p.banner", { role: "status" });
  while (!(await isReachable())) {
    banner.textContent = t("connection.lost");
    document.body.append(banner);
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
  banner.remove();
  isLost = false;
}

/** @param {string} title @param {string} why @param {boolean} again whether another try may help */
function problemView(title, why, again) {
  document.title = `${t(title)} · Ludus`;
  const retry = async () => {
    if (await isReachable()) location.reload();
    else toast(t("offline"));
  };
  return h(
    "div.empty",
    h("h1", t(title)),
    h("p", why),
    h(
      "p.actions",
      again && button("lost.retry", retry, "button"),
      h("a", { class: again ? "quiet" : "button", href: "/" }, t("lost.home")),
    ),
  );
}

/** Returns what is shown to a guest on a page that needs an account: a link that leads back. */
function signInView() {
  document.title = `${t("lost.closed")} · Ludus`;
  const href = `/account?next=${encodeURIComponent(location.pathname + location.search)}`;
  return h("div.empty", h("h1", t("lost.closed")), h("p", h("a.button", { href }, t("nav.sign-in"))));
}

/** Shows the page of the current address from its top. */
async function showFromTop() {
  await showPage();
  scrollTo(0, 0);
  document.getElementById("main")?.focus({ preventScroll: true });
  announce(document.title);
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

const LINKS = ["home", "play", "lobby", "games", "analysis", "ladder", "bots", "tournaments", "courses"];

/** Draws the header: links to the pages, help, language, theme and account. */
function header() {
  const { name: page } = parseAddress(location.pathname);
  const current = (/** @type {string} */ name) => (name === page ? "page" : null);
  const links = LINKS.map((name) =>
    h("a", { href: name === "home" ? "/" : `/${name}`, "aria-current": current(name) }, t(`nav.${name}`)),
  );
  const dot = (/** @type {string} */ kind) => h("span", { class: kind, "aria-hidden": "true" });
  const logo = h("a.logo", { href: "/", "aria-label": t("nav.logo") }, dot("dot0"), dot("dot1"), "Ludus");
  const themeLabel = t(isDark() ? "theme.light" : "theme.dark");
  const other = document.documentElement.lang === "en" ? "zh-Hant" : "en";
  const name = signedIn();
  const here = location.pathname + location.search;
  const account = {
    class: name ? "known" : "",
    href: name || page === "account" || page === "home" ? "/account" : `/account?next=${encodeURIComponent(here)}`,
    "aria-label": name ? t("nav.me", { name }) : null,
    "aria-current": current("account"),
  };
  const menu = h("button.quiet.menu", {
    "aria-label": t("nav.menu"),
    "aria-controls": "pages",
    "aria-expanded": "false",
  });
  menu.append(icon("menu"));
  menu.addEventListener("click", () => openMenu(menu.getAttribute("aria-expanded") !== "true"));
  const tools = [
    h("button.quiet.keys", { "aria-label": t("help.title"), title: `${t("help.title")} (?)`, click: showHelp }, "?"),
    h("button.quiet", { lang: other, click: () => switchLanguage(other) }, LANGUAGES[other]),
    h("button.quiet", { "aria-label": themeLabel, title: themeLabel, click: switchTheme }, isDark() ? "☀" : "☾"),
    h("a.quiet.me", account, icon("person"), h("span", name || t("nav.sign-in"))),
    menu,
  ];
  document
    .getElementById("top")
    ?.replaceChildren(
      logo,
      h("nav", { id: "pages", "aria-label": t("nav.label") }, ...links),
      h("div.tools", ...tools),
    );
  for (const element of document.querySelectorAll("[data-words]"))
    element.textContent = t(/** @type {HTMLElement} */ (element).dataset.words ?? "");
}

/** Opens or closes the list of pages, where there is no room for it in the header. @param {boolean} open */
function openMenu(open) {
  document.querySelector("#top nav")?.classList.toggle("open", open);
  document.querySelector("#top .menu")?.setAttribute("aria-expanded", String(open));
}

function switchTheme() {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  storage.write("theme", document.documentElement.dataset.theme);
  header();
}

/** @param {string} lang */
async function switchLanguage(lang) {
  await saveLanguage(lang);
  // a failure may pass: the page has changed its language already
  if (signedIn()) ask("/api/account/language", { language: lang }).catch(() => {});
  await showPage();
}

/** Shows the keyboard shortcuts. */
function showHelp() {
  const names = ["arrows", "enter", "steps", "space", "flip", "undo", "hint", "help"];
  const rows = names.flatMap((name) => {
    const keys = t(`key.${name}`).split(" ");
    return [h("dt", ...keys.map((key) => h("kbd", key))), h("dd", t(`help.${name}`))];
  });
  const dialog = openDialog(
    "help",
    t("help.title"),
    h("dl", ...rows),
    button("help.close", () => dialog.close(), "button"),
  );
}

document.addEventListener("click", (event) => {
  if (event.target instanceof Element && !event.target.closest("#top .menu, #top nav")) openMenu(false);
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.origin !== location.origin || link.hasAttribute("download") || link.target) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  if (link.hash && link.pathname === location.pathname) return;
  if (/^\/(api|static)\//.test(link.pathname)) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") openMenu(false);
  if (event.key === "?" && !(event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement))
    showHelp();
});
addEventListener("popstate", showPage);
addEventListener("go", showFromTop);
addEventListener("offline", checkConnection);
addEventListener("unreachable", checkConnection); // a request or a stream has failed
addEventListener("unhandledrejection", () => toast(t("offline")));

addresses = JSON.parse(document.getElementById("addresses")?.textContent ?? "{}"); // the server puts them in the page
await setLanguage(document.documentElement.lang);
await showPage();
// Without a connection it shows the shell; the page itself does not wait for it.
if ("serviceWorker" in navigator && isSecureContext)
  setTimeout(() => navigator.serviceWorker.register("/service-worker.js").catch(() => {}), 2000);
