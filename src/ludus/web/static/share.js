// The dialog that shares what is on the board: as a link, as text, as files and pictures, and as a board for another
// site. Knows no page; its words and its style are loaded when it is first shown.

import { button, copyField, download, openDialog, submitButton } from "./components.js";
import { copy, h, loadAssets, t } from "./page.js";

/**
 * Paths of this server; what is left out is not offered. `text` is the position.
 * @typedef {{ link: string, embed?: string, text?: string, record?: string, png?: string, gif?: string, svg?: string,
 *   course?: string, note?: string }} Shared
 */

const FRAME = { width: 480, height: 600 };

/** Returns the HTML that shows a board on another site. @param {string} path @param {string} title */
function frameCode(path, title) {
  const frame = h("iframe", { src: location.origin + path, ...FRAME, title, loading: "lazy" });
  frame.removeAttribute("class");
  return frame.outerHTML;
}

/** @param {Shared} shared */
export async function showShare({ link, embed, text, record, png, gif, svg, course, note }) {
  await loadAssets("share");
  const row = (/** @type {string} */ key, /** @type {string} */ value) => {
    const label = t(key);
    const copyButton = button("share.copy", () => copy(value), "quiet", `${t("share.copy")}: ${label}`);
    return h("div.field", h("span", label), h("span.copied", copyField(value, { "aria-label": label }), copyButton));
  };
  const files = [
    record && download(record, t("share.record")),
    png && download(png, t("share.png")),
    gif && download(gif, t("share.gif")),
    svg && download(svg, t("share.svg")),
    course && download(course, t("share.course")),
  ];
  const picture = png && h("img.preview", { src: png, alt: "", loading: "lazy" });
  openDialog(
    "sharing",
    t("share.title"),
    picture || false,
    note !== undefined && h("p.dim", note),
    row("share.link", location.origin + link),
    text !== undefined && row("share.position", text),
    h("div.actions", ...files),
    embed !== undefined && row("share.embed", frameCode(embed, document.title)),
    h("form", { method: "dialog" }, submitButton("help.close")),
  );
}
