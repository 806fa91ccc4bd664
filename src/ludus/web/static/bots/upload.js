// The form to upload a bot: files, a folder or pasted code. Knows how a browser gives files; the server reads them.

import { PROTOCOLS, RequestError, h, limits, t, tOr } from "../page.js";
import { acceptDrops, field, gameChoices, select, showFault, submitForm } from "../components.js";

/** @typedef {[string, File][]} Files each with its path */

const SOURCES = { python: "bot.py", cpp: "bot.cpp", c: "bot.c", java: "Bot.java", javascript: "bot.js" };
const MOST_NAMED = 4;

/** @param {File} file @returns {Promise<string>} */
function base64(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
}

/** Returns a file, or the files in a folder. @param {FileSystemEntry | null} entry @returns {Promise<Files>} */
async function filesIn(entry) {
  if (entry?.isFile) {
    const file = await new Promise((done, failed) => /** @type {FileSystemFileEntry} */ (entry).file(done, failed));
    return [[entry.fullPath.replace(/^\//, ""), file]];
  }
  if (!entry?.isDirectory) return [];
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {Files} */
  const found = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((done, failed) => reader.readEntries(done, failed)); // at most 100 at a time
    if (!some.length) return found;
    for (const one of some) found.push(...(await filesIn(one)));
  }
}

/** Returns the dropped files, with those in dropped folders. @param {DataTransfer} dropped @returns {Promise<Files>} */
async function droppedFiles(dropped) {
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (entries.every((entry) => entry === null)) return [...dropped.files].map((file) => [file.name, file]);
  return (await Promise.all(entries.map(filesIn))).flat();
}

/**
 * Returns the form to upload a bot or a new version of one.
 * @param {{ title: string, name: string }[]} games those to choose from; none for a version of a bot
 * @param {(upload: Record<string, unknown>) => Promise<void>} send
 */
export function uploadForm(games, send) {
  /** @type {Files} */
  let chosen = [];
  const list = h("p.chosen", { role: "status" });
  const code = h("textarea", {
    name: "code",
    rows: 10,
    spellcheck: "false",
    "aria-label": t("bots.paste.code"),
    input: () => showChosen(),
  });
  const button = h("button.button.large", { type: "submit", disabled: true }, t("bots.send"));

  function showChosen() {
    const names = chosen.map(([name]) => name);
    const more = names.length - MOST_NAMED;
    list.textContent =
      names.slice(0, MOST_NAMED).join(t("comma")) + (more > 0 ? ` ${t("bots.more", { n: more })}` : "");
    button.disabled = !names.length && !code.value.trim();
  }
  /** @param {Files} files */
  function setFiles(files) {
    chosen = files;
    showChosen();
    showFault(form, "");
    checkSize().catch((error) => files === chosen && error instanceof RequestError && showFault(form, error.message));
  }
  async function checkSize() {
    const bytes = chosen.length ? chosen.reduce((sum, [, file]) => sum + file.size, 0) : new Blob([code.value]).size;
    const { bot } = await limits();
    if (bytes > bot) throw new RequestError(t("bots.large", { mb: bot / (1 << 20) }));
  }
  /** @param {string} key @param {Record<string, any>} attributes */
  const picker = (key, attributes) => {
    const change = () =>
      setFiles(Array.from(input.files ?? [], (file) => [file.webkitRelativePath || file.name, file]));
    const input = h("input.unseen", { type: "file", change, ...attributes });
    return h("label.quiet", t(key), input);
  };
  const zone = h(
    "div.drop",
    h("p", h("strong", t("bots.drop"))),
    h(
      "div.row",
      picker("bots.choose.files", { multiple: true, name: "files" }),
      picker("bots.choose.folder", { webkitdirectory: true, name: "folder" }),
    ),
    list,
  );
  acceptDrops(zone, async (dropped) => setFiles(await droppedFiles(dropped)));
  /** @param {string} name @param {string[][]} choices */
  const choice = (name, choices) =>
    field(t(`bots.${name}`), select([["", t(`bots.${name}.own`)], ...choices], "", { name }));
  const languages = Object.keys(SOURCES).map((one) => [one, tOr(`language.${one}`, one)]);
  const protocols = PROTOCOLS.map((one) => [one, one]);
  const nameInput = h("input", { name: "name", maxlength: 32, autocomplete: "off", placeholder: t("bots.name.own") });
  const form = submitForm(
    async ({ name, game, protocol, language }, form) => {
      await checkSize();
      const files = chosen.length
        ? await Promise.all(chosen.map(async ([path, file]) => ({ name: path, data: await base64(file) })))
        : [{ name: SOURCES[/** @type {keyof typeof SOURCES} */ (language)], text: code.value }];
      const source = chosen.length || !name ? null : "FILE"; // pasted code has no path, and no name but a given one
      await send({ files, name: name || null, game: game || null, protocol: protocol || null, source });
      form.reset();
      setFiles([]);
    },
    zone,
    h(
      "details.more",
      h("summary", t("bots.paste")),
      h("div.pasted", field(t("bots.language"), select(languages, "", { name: "language" })), code),
    ),
    h(
      "div.fields",
      games.length > 0 && field(t("bots.name"), nameInput),
      games.length > 0 && choice("game", gameChoices(games)),
      choice("protocol", protocols),
    ),
    button,
  );
  form.classList.add("upload");
  return form;
}
