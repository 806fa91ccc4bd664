// What the pages that step through moves share: their buttons, their keys, and the board after some plies.

import { h, icon, t } from "./page.js";

/** @typedef {import("./page.js").Ply} Ply */

/**
 * Returns a button that steps through moves.
 * @param {"first" | "back" | "next" | "last"} name @param {string} key of its words @param {() => void} work
 */
export const stepButton = (name, key, work) =>
  h("button.quiet", { "aria-label": t(key), title: t(key), click: work }, icon(name));

/**
 * Returns the board after the last of some plies that shows one, or the board at the start.
 * @param {(Ply | null)[]} plies @param {import("./page.js").BoardData} start
 */
export const boardAfter = (plies, start) =>
  plies
    .filter((ply) => ply?.steps.length)
    .at(-1)
    ?.steps.at(-1)?.board ?? start;

/**
 * Runs the work of a key, except where the key belongs to something else: a field, a dialog, or a button for space.
 * @param {KeyboardEvent} event @param {Record<string, () => unknown>} keys
 */
export function runKey(event, keys) {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement];
  if (typing.some((kind) => target instanceof kind) || !Object.hasOwn(keys, key)) return;
  if (key === " " && (target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  keys[key]();
}
