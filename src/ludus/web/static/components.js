// Components that several pages share: fields, buttons, dialogs, states, times, event streams. Knows no page.

import { RequestError, ask, h, handler, svg, t } from "./page.js";

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

/** @param {number} part from 0 to 1 @param {string} label */
export function progressBar(part, label) {
  return h("progress.bar", { max: 1, value: part, "aria-label": label });
}

/** @param {string} text a time as the server writes it */
export function dateTime(text) {
  return new Date(text).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
}

/** Returns a duration, rounded, in words. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 90) return t("span.seconds", { n: Math.max(1, Math.round(seconds)) });
  if (seconds < 5400) return t("span.minutes", { n: Math.round(seconds / 60) });
  return t("span.hours", { n: Math.round(seconds / 3600) });
}

/** @param {string} label @param {HTMLElement} control @param {string} [more] */
export function field(label, control, more) {
  return h("label.field", h("span", label), control, more && h("small", more));
}

/**
 * @param {[string, string][]} choices value and words @param {string} chosen @param {Record<string, any>} [attributes]
 */
export function select(choices, chosen, attributes = {}) {
  return h(
    "select",
    attributes,
    ...choices.map(([value, words]) => h("option", { value, selected: value === chosen }, words)),
  );
}

/**
 * Returns a button that runs something and shows a failed request.
 * @param {string} key of its words @param {() => unknown} work @param {string} [kind] its class
 */
export const actionButton = (key, work, kind = "quiet") => h("button", { class: kind, click: handler(work) }, t(key));

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
 * @param {string} title @param {string} sentence @param {string} done the button's words @param {HTMLElement[]} fields
 * with names
 * @returns {Promise<Record<string, string> | null>}
 */
export function formDialog(title, sentence, done, fields) {
  return new Promise((answer) => {
    const form = h(
      "form.form",
      { method: "dialog" },
      h("h2", { id: "question-title" }, title),
      sentence && h("p.dim", sentence),
      ...fields,
      h(
        "div.row",
        h("button.button", { type: "submit", value: "done" }, done),
        h("button.quiet", { type: "submit", value: "", formnovalidate: true }, t("events.cancel")),
      ),
    );
    const box = h("dialog.question", { "aria-labelledby": "question-title" }, form);
    box.addEventListener("close", () => {
      const given = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
      answer(box.returnValue === "done" ? given : null);
      box.remove();
    });
    document.body.append(box);
    box.showModal();
  });
}

/**
 * Asks for the reason of a change; resolves to null when the person cancels.
 * @param {string} title @param {string} sentence @param {string} done
 */
export async function askReason(title, sentence, done) {
  const box = h("textarea", { name: "reason", rows: 2, required: true, maxlength: 500 });
  const given = await formDialog(title, sentence, done, [field(t("events.reason"), box, t("events.reason.why"))]);
  return given?.reason.trim() || null;
}

/**
 * Listens to a stream of events; the browser reconnects by itself.
 * @param {string} path @param {(data: any) => void} take
 */
export function listen(path, take) {
  const source = new EventSource(path);
  source.onmessage = (event) => take(JSON.parse(event.data));
  return source;
}

/**
 * Returns a form that runs something when it is submitted and shows a failed request below.
 * @param {() => Promise<void>} work @param {...(Node | string | null | undefined | false)} inside
 */
export function submitForm(work, ...inside) {
  const fault = h("p.fault", { role: "alert" });
  const form = h(
    "form.form",
    {
      submit: async (/** @type {Event} */ event) => {
        event.preventDefault();
        fault.textContent = "";
        try {
          await work();
        } catch (error) {
          if (!(error instanceof RequestError)) throw error;
          fault.textContent = error.message;
          fault.scrollIntoView({ block: "nearest" });
        }
      },
    },
    ...inside,
    fault,
  );
  return form;
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
