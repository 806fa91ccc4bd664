// The page around the pages: which one is shown at which address, the header, theme and language. Knows no game.

import { LANGUAGES, Refusal, ask, go, h, kept, say, settle, sign, signedIn, speak, t, toast } from "./page.js";

/** A page fills an element and gives what ends it. @typedef {(main: HTMLElement, words: string[]) => Promise<(() => void) | void>} Page */

/** The first word of an address names its page; the others are the page's own. @param {string} path */
function pageOf(path) {
  const [name, ...words] = path.split("/").slice(1).map(decodeURIComponent);
  return { name: name || "home", words: words.filter(Boolean) };
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
    const { show } = /** @type {{ show: Page }} */ (await import(`./pages/${name}.js`));
    if (turn !== shown) return;
    main.replaceChildren();
    main.className = "";
    const ends = await show(main, words);
    if (turn === shown) leave = ends;
    else ends?.();
  } catch (error) {
    if (turn !== shown) return;
    main.replaceChildren(error instanceof Refusal && error.status === 401 ? closed() : nothing(error));
  }
}

/** @param {unknown} error */
function nothing(error) {
  return h("div", { class: "empty" }, h("h1", {}, t("lost.title")), h("p", {}, error instanceof Error ? error.message : ""), h("p", {}, h("a", { class: "button", href: "/" }, t("lost.home"))));
}

/** A page that needs an account leads there, and back. */
function closed() {
  const href = `/account?next=${encodeURIComponent(location.pathname + location.search)}`;
  return h("div", { class: "empty" }, h("h1", {}, t("lost.closed")), h("p", {}, h("a", { class: "button", href }, t("nav.sign-in"))));
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
  const links = [["/", "nav.home"], ["/play", "nav.play"], ["/analysis", "nav.analysis"], ["/ladder", "nav.ladder"], ["/bots", "nav.bots"], ["/tournaments", "nav.tournaments"], ["/courses", "nav.courses"]];
  const theme = h("button", { class: "quiet", type: "button", "aria-label": t(dark() ? "theme.light" : "theme.dark"), title: t(dark() ? "theme.light" : "theme.dark"), click: turnTheme }, dark() ? "☀" : "☾");
  const other = document.documentElement.lang === "en" ? "zh-Hant" : "en";
  const language = h("button", { class: "quiet", type: "button", lang: other, click: () => turnLanguage(other) }, LANGUAGES[other]);
  const logo = h("a", { class: "logo", href: "/", "aria-label": t("nav.logo") }, h("span", { class: "dot0", "aria-hidden": "true" }), h("span", { class: "dot1", "aria-hidden": "true" }), "Ludus");
  const name = signedIn();
  const person = h("a", { class: name ? "quiet me known" : "quiet me", href: "/account", "aria-label": name ? t("nav.me", { name }) : null, "aria-current": location.pathname === "/account" ? "page" : null }, sign("person"), h("span", {}, name || t("nav.sign-in")));
  document.getElementById("top")?.replaceChildren(
    logo,
    h("nav", { "aria-label": t("nav.label") }, ...links.map(([href, key]) => h("a", { href, "aria-current": pageOf(location.pathname).name === pageOf(href).name ? "page" : null }, t(key)))),
    h("div", { class: "tools" }, h("button", { class: "quiet", type: "button", "aria-label": t("help.title"), title: `${t("help.title")} (?)`, click: help }, "?"), language, theme, person),
  );
  for (const element of document.querySelectorAll("[data-words]")) element.textContent = t(/** @type {HTMLElement} */ (element).dataset.words ?? "");
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
    h("dialog", { class: "help", "aria-labelledby": "help-title", click: (/** @type {MouseEvent} */ event) => event.target === box && box.close() },
      h("h2", { id: "help-title" }, t("help.title")),
      h("dl", {}, ...keys.flatMap((key) => [h("dt", {}, ...t(`key.${key}`).split(" ").map((one) => h("kbd", {}, one))), h("dd", {}, t(`help.${key}`))])),
      h("button", { class: "button", type: "button", click: () => box.remove() }, t("help.close")),
    )
  );
  document.body.append(box);
  if (box.showModal) box.showModal();
  else box.setAttribute("open", "");
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.origin !== location.origin || link.hasAttribute("download") || link.target || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  if (link.hash && link.pathname === location.pathname) return;
  if (/^\/(api|static)\//.test(link.pathname)) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "?" && !(event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement)) help();
});
addEventListener("popstate", route);
addEventListener("go", arrive);
addEventListener("unhandledrejection", () => toast(t("offline")));

await speak(document.documentElement.lang);
await route();
