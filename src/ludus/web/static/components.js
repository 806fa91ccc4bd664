// Components that several pages share: fields, forms, buttons, dialogs, tables, states, times, event streams. They take
// data and give elements. Knows no page and no game.

import { RequestError, ask, errorText, gameName, h, handler, sentence, svg, t } from "./page.js";

/** @import { Attributes, Child } from "./page.js" */

/**
 * Fetches the account of the visitor: a guest has a role only.
 * @returns {Promise<{ role: string, name?: string | null }>}
 */
export const fetchAccount = () => ask("/api/account");

/** @param {string} role */
export const isInstructor = (role) => role === "instructor" || role === "admin";

/** Returns a state as a badge with words, never colour alone. @param {string} state */
export function stateBadge(state) {
  return h("span", { class: `pill ${state}` }, t(`state.${state}`));
}

/**
 * Returns what stands where there is nothing yet, with a next step.
 * @param {string} words @param {string} href @param {string} next the words for what is behind `href`
 */
export const emptyState = (words, href, next) =>
  h("div.empty", h("p", t(words)), h("p", h("a.button", { href }, t(next))));

/** @param {number} part from 0 to 1 @param {string} label */
export function progressBar(part, label) {
  return h("progress.bar", { max: 1, value: part, "aria-label": label });
}

/** Returns words beside a mark that something is under way. @param {Child} words */
export const working = (words) => h("div.going", h("span.pulse", { "aria-hidden": "true" }), h("p.dim", words));

/** @param {string} text a time as the server writes it @param {Intl.DateTimeFormatOptions} [style] */
export function dateTime(text, style = { dateStyle: "medium", timeStyle: "short" }) {
  return new Date(text).toLocaleString(document.documentElement.lang, style);
}

/** Returns a duration, rounded, in words. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 90) return t("span.seconds", { n: Math.max(1, Math.round(seconds)) });
  if (seconds < 5400) return t("span.minutes", { n: Math.round(seconds / 60) });
  return t("span.hours", { n: Math.round(seconds / 3600) });
}

/**
 * Returns a control with its label and perhaps a hint.
 * @param {string} label @param {Child} control @param {string} [hint]
 */
export const field = (label, control, hint) =>
  h("label.field", h("span", label), control, hint ? h("small", hint) : null);

/** Returns an input with its label. @param {string} label @param {Attributes} attributes @param {string} [hint] */
export const inputField = (label, attributes, hint) => field(label, h("input", attributes), hint);

/**
 * @param {string[][]} choices value and words @param {string} chosen @param {Attributes} [attributes]
 * @param {(value: string) => unknown} [changed]
 */
export function select(choices, chosen, attributes = {}, changed) {
  const options = choices.map(([value, words]) => h("option", { value, selected: value === chosen }, words));
  const element = h("select", attributes, ...options);
  if (changed) element.addEventListener("change", () => changed(element.value));
  return element;
}

/** Returns games as choices. @param {{ name: string, title: string }[]} games */
export const gameChoices = (games) => games.map(({ name, title }) => [name, gameName(name, title)]);

/**
 * Returns radio buttons. Each choice has a value, words, and perhaps more words.
 * @param {string} kind the class of the group @param {string} name @param {string} legend
 * @param {Child[][]} choices @param {string} chosen @param {(value: string) => void} changed
 */
export function radioGroup(kind, name, legend, choices, chosen, changed) {
  const labels = choices.map(([choice, words, more]) => {
    const value = String(choice);
    const settings = { type: "radio", name, value, checked: value === chosen, change: () => changed(value) };
    return h("label", h("input", settings), h("span", h("strong", words), more ? h("small", more) : null));
  });
  return h("fieldset", { class: kind }, h("legend", legend), h("div", ...labels));
}

/**
 * Returns a button that runs something and shows a failed request.
 * @param {string} key of its words @param {() => unknown} work @param {string} [kind] its class
 * @param {string} [label] what it is called where its words say too little
 */
export const button = (key, work, kind = "quiet", label) =>
  h("button", { class: kind, click: handler(work), "aria-label": label }, t(key));

/**
 * Returns a button that asks before it works. The question takes its place until it is answered; Escape, or a press
 * elsewhere, means no.
 * @param {string} key of its words @param {() => string | false} question false where nothing is to be asked
 * @param {() => unknown} work
 */
export function confirmButton(key, question, work) {
  const place = h("span.confirm");
  let over = new AbortController();
  const close = () => {
    over.abort();
    place.className = "confirm";
    place.removeAttribute("role");
    place.removeAttribute("aria-label");
    place.replaceChildren(first);
  };
  const open = () => {
    const words = question();
    if (!words) return work();
    over = new AbortController();
    const { signal } = over;
    const yes = button(key, () => (close(), work()), "button danger");
    const no = button("cancel", () => (close(), first.focus()));
    place.classList.add("open");
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", words);
    place.replaceChildren(h("strong", words), yes, no);
    no.focus();
    const keyPressed = (/** @type {KeyboardEvent} */ event) => {
      event.stopPropagation(); // the page's own keys would change what is asked about
      if (event.key === "Escape") (close(), first.focus());
    };
    place.addEventListener("keydown", keyPressed, { signal });
    const pressed = (/** @type {Event} */ event) => place.contains(/** @type {Node} */ (event.target)) || close();
    document.addEventListener("pointerdown", pressed, { signal });
    return undefined;
  };
  const first = button(key, open);
  place.append(first);
  return place;
}

/**
 * Returns a link to a file.
 * @param {string} href @param {string} words @param {string} [kind] its class @param {string} [label]
 */
export const download = (href, words, kind = "quiet", label) =>
  h("a", { class: kind, href, download: true, "aria-label": label }, words);

/** Returns the button that submits a form. @param {string} key of its words @param {string} [kind] its class */
export const submitButton = (key, kind = "button") => h("button", { class: kind, type: "submit" }, t(key));

/** Returns a card with a heading. @param {string} title @param {...Child} children */
export const card = (title, ...children) => h("section.part", h("h2", title), ...children);

/** Returns the way back to a list. @param {string} href @param {string} words */
export const backLink = (href, words) => h("p.crumbs", h("a", { href }, words));

/**
 * Returns a table that scrolls sideways where it is too wide. A head is a text, or a class and a text; one for actions
 * is read by screen readers only.
 * @param {string} kind its class @param {string} label @param {(string | [string, string] | false)[]} heads
 * @param {HTMLElement[]} rows
 */
export function scrollTable(kind, label, heads, rows) {
  const cells = heads.filter((head) => head !== false).map((head) => (typeof head === "string" ? ["", head] : head));
  const head = cells.map(([name, words]) =>
    h("th", { scope: "col", class: name }, name === "act" ? h("span.unseen", words) : words),
  );
  return scrollRegion(label, h("table", { class: kind }, h("thead", h("tr", ...head)), h("tbody", ...rows)));
}

/** Returns a place that scrolls sideways where it is too wide. @param {string} label @param {...Child} children */
export const scrollRegion = (label, ...children) =>
  h("div.scroll", { tabindex: 0, role: "region", "aria-label": label }, ...children);

/**
 * Returns a row of a list of tournaments or courses.
 * @param {string} href @param {string} name @param {string} what it is @param {Child[]} how it is @param {string} state
 */
export const stateRow = (href, name, what, how, state) =>
  h(
    "li",
    h("a", { href }, h("span.what", h("strong", name), h("small", what)), h("span.how", ...how), stateBadge(state)),
  );

/**
 * Lets people drop something on an element.
 * @param {HTMLElement} zone @param {(dropped: DataTransfer) => unknown} take
 */
export function acceptDrops(zone, take) {
  zone.addEventListener("dragover", (event) => (event.preventDefault(), zone.classList.add("over")));
  zone.addEventListener("dragleave", () => zone.classList.remove("over"));
  zone.addEventListener("drop", (event) => {
    if (!event.dataTransfer) return;
    event.preventDefault();
    zone.classList.remove("over");
    take(event.dataTransfer);
  });
}

/**
 * Returns a file input, and what shows it in the language of the page: a browser's own words are in the browser's.
 * @param {string} label @param {Record<string, any>} [attributes] @returns {[HTMLInputElement, HTMLElement]}
 */
export function filePicker(label, attributes = {}) {
  const name = h("span.dim");
  const input = h("input.unseen", { type: "file", "aria-label": label, ...attributes });
  input.addEventListener("change", () => (name.textContent = input.files?.[0]?.name ?? ""));
  return [input, h("span.picker", input, h("span.quiet", t("file.choose")), name)];
}

/**
 * Returns a field with a text to copy: it is selected when the field gets the focus.
 * @param {string} value @param {Record<string, any>} [attributes]
 */
export function copyField(value, attributes = {}) {
  const focus = (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select();
  return h("input", { readonly: true, value, focus, ...attributes });
}

/**
 * Shows a dialog, in place of any other, until it is closed.
 * @param {string} kind its class @param {string} title @param {...(Node | false)} children
 */
export function openDialog(kind, title, ...children) {
  document.querySelector("dialog")?.remove();
  const dialog = h(
    "dialog",
    {
      class: kind,
      "aria-labelledby": `${kind}-title`,
      click: (/** @type {MouseEvent} */ event) => event.target === dialog && dialog.close(),
    },
    h("h2", { id: `${kind}-title` }, title),
    ...children,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  if (dialog.showModal) dialog.showModal();
  else dialog.setAttribute("open", ""); // an older browser
  return dialog;
}

/**
 * Asks for something with a form in a dialog. Resolves to what was entered, or to null when the person cancels.
 * @param {string} title @param {string} explanation @param {string} done the button's words
 * @param {HTMLElement[]} fields with names
 * @returns {Promise<Record<string, string> | null>}
 */
export function formDialog(title, explanation, done, fields) {
  const cancel = { type: "submit", value: "", formnovalidate: true };
  const form = h(
    "form.form",
    { method: "dialog" },
    h("p.dim", explanation),
    ...fields,
    h("div.row", h("button.button", { type: "submit", value: "done" }, done), h("button.quiet", cancel, t("cancel"))),
  );
  const dialog = openDialog("question", title, form);
  return new Promise((answer) =>
    dialog.addEventListener("close", () => {
      const given = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
      answer(dialog.returnValue === "done" ? given : null);
    }),
  );
}

/** Returns the field for the reason of a change. */
export const reasonField = () =>
  field(
    t("events.reason"),
    h("textarea", { name: "reason", rows: 2, required: true, maxlength: 500 }),
    t("events.reason.why"),
  );

/**
 * Asks for the reason of a change; resolves to null when the person cancels.
 * @param {string} title @param {string} explanation @param {string} done the button's words
 */
export async function askReason(title, explanation, done) {
  const given = await formDialog(title, explanation, done, [reasonField()]);
  return given?.reason.trim() || null;
}

/**
 * Listens to a stream of events; the browser reconnects by itself. main.js says so if the server is gone.
 * @param {string} path @param {(data: any) => void} take
 */
export function listen(path, take) {
  const source = new EventSource(path);
  source.onmessage = (event) => take(JSON.parse(event.data));
  source.onerror = () => dispatchEvent(new Event("unreachable"));
  return source;
}

/**
 * Returns a form that runs something when it is submitted. A failed request is shown above its last element, and the
 * field that it is about is marked.
 * @param {(values: Record<string, string>, form: HTMLFormElement) => Promise<unknown>} work
 * @param {...Child} inside
 */
export function submitForm(work, ...inside) {
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    if (form.hasAttribute("aria-busy")) return;
    showFault(form, "");
    form.setAttribute("aria-busy", "true");
    try {
      await work(/** @type {Record<string, string>} */ (Object.fromEntries(new FormData(form))), form);
    } catch (error) {
      showFault(form, sentence(errorText(error)));
      const field = error instanceof RequestError ? form.elements.namedItem(error.field) : null;
      if (field instanceof HTMLElement) markInvalid(field);
    } finally {
      form.removeAttribute("aria-busy");
    }
  };
  const fault = h("p.fault", { role: "alert" });
  const form = h("form.form", { submit }, ...inside.slice(0, -1), fault, ...inside.slice(-1));
  return form;
}

/** Shows what is wrong with a form; no words for nothing. @param {HTMLFormElement} form @param {string} words */
export function showFault(form, words) {
  const place = /** @type {HTMLElement} */ (form.querySelector(".fault"));
  place.textContent = words;
  if (words) place.scrollIntoView({ block: "nearest" });
}

/** Marks and focuses a field that must be filled in or changed. @param {HTMLElement} field */
function markInvalid(field) {
  field.setAttribute("aria-invalid", "true");
  field.addEventListener("input", () => field.removeAttribute("aria-invalid"), { once: true });
  field.focus();
}

/**
 * Draws an interval from 0 to 1, with its value where that is known.
 * @param {number} low @param {number | null} value @param {number} high @param {string} label @param {number} [zero]
 */
export function intervalPlot(low, value, high, label, zero) {
  const x = (/** @type {number} */ part) => 2 + 96 * Math.min(1, Math.max(0, part));
  return svg(
    "svg.interval",
    { viewBox: "0 0 100 12", role: "img", "aria-label": label },
    svg("line.track", { x1: 2, x2: 98, y1: 6, y2: 6 }),
    zero !== undefined && svg("line.zero", { x1: x(zero), x2: x(zero), y1: 0, y2: 12 }),
    svg("rect.range", { x: x(low), width: Math.max(1, x(high) - x(low)), y: 4, height: 4, rx: 2 }),
    value !== null && svg("circle.point", { cx: x(value), cy: 6, r: 3 }),
  );
}

/** An element that is redrawn only when its data changes; scroll position and focus stay. */
export class Panel {
  /** @param {string} [tag] @param {Record<string, any>} [attributes] */
  constructor(tag = "div", attributes = {}) {
    this.element = h(tag, attributes);
    this.data = "";
  }

  /** @param {unknown} data @param {() => (Node | string | null | undefined | false)[]} draw */
  show(data, draw) {
    const text = JSON.stringify(data);
    if (text === this.data) return;
    this.data = text;
    const held = this.element.contains(document.activeElement)
      ? document.activeElement?.getAttribute("aria-label")
      : null;
    const scrolled = [...this.element.querySelectorAll(".scroll")].map((one) => one.scrollLeft);
    this.element.replaceChildren(.../** @type {(Node | string)[]} */ (draw().filter(Boolean)));
    [...this.element.querySelectorAll(".scroll")].forEach((one, index) => (one.scrollLeft = scrolled[index] ?? 0));
    if (held)
      /** @type {HTMLElement | null} */ (this.element.querySelector(`[aria-label="${CSS.escape(held)}"]`))?.focus();
  }
}
