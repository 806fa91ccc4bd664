// A board for other sites: a game, a chapter of a study, or moves from a position, to step through. Asks without
// cookies and changes nothing; the link opens the same on Ludus.

import { Board } from "./board.js";
import { loadLook } from "./look.js";
import { announce, gameName, h, personName, say, setLanguage, sideName, t } from "./page.js";
import { boardAfter, moveSentence, runKey, stepButtons } from "./replay.js";
import { drawShapes } from "./shapes.js";

/** @import { Frame, Ply, Position } from "./page.js" */
/** @import { Shape } from "./shapes.js" */
/** @typedef {{ comment?: string, shapes?: Shape[] }} Note */
/**
 * @typedef {{ title: string, link: string, frame: Frame, start: Position, plies: Ply[], notes: Note[], at: number
 *   }} Shown
 */

/** @param {string} path */
async function fetchJson(path) {
  const answer = await fetch(path, { credentials: "omit" });
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(say(data.message, data.detail) || t("offline"));
  return data;
}

/** @param {string} id @returns {Promise<Shown>} */
async function matchShown(id) {
  const { frame, seats, start, plies = [] } = await fetchJson(`/api/matches/${id}`);
  const names = seats.map((/** @type {{ player: string, name?: string }} */ seat) =>
    personName(seat.player, seat.name),
  );
  const title = `${gameName(frame.game, frame.title)}: ${names.join(" – ")}`;
  return { title, link: `/match/${id}`, frame, start, plies, notes: [], at: plies.length };
}

/** @param {string} id @param {number} number @returns {Promise<Shown>} */
async function studyShown(id, number) {
  const study = await fetchJson(`/api/studies/${id}`);
  const { options = "", nodes } = study.chapters[number] ?? study.chapters[0];
  const line = [0];
  for (let next = 1; next < nodes.length; next++) if (nodes[next].parent === line.at(-1)) line.push(next);
  const query = new URLSearchParams({ game: study.game, options, position: nodes[0].text });
  for (const node of line.slice(1)) query.append("moves", nodes[node].move);
  const { frame, start, plies = [] } = await fetchJson(`/api/positions?${query}`);
  const notes = line.map((node) => nodes[node]);
  const link = `/study/${id}${number ? `?chapter=${number}` : ""}`;
  return { title: study.title, link, frame, start, plies, notes, at: 0 };
}

/** @param {URLSearchParams} query @returns {Promise<Shown>} */
async function positionShown(query) {
  const { frame, start, plies = [], position, options = "" } = await fetchJson(`/api/positions?${query}`);
  const title = gameName(frame.game, frame.title);
  const here = new URLSearchParams({ game: frame.game, options, position: position.text });
  return { title, link: `/analysis?${here}`, frame, start, plies, notes: [], at: plies.length };
}

/** @param {HTMLElement} main @param {Shown} shown */
async function show(main, { title, link, frame, start, plies, notes, at }) {
  const board = new Board(frame, await loadLook(frame.game), { label: title });
  board.element.setAttribute("role", "img");
  board.element.setAttribute("aria-label", title);
  const said = h("p.said");
  const count = h("span.dim");
  let place = at;
  const draw = () => {
    board.set(boardAfter(plies.slice(0, place), start.board));
    board.markLast(plies[place - 1]);
    drawShapes(board, notes[place]?.shapes ?? []);
    said.textContent = notes[place]?.comment ?? "";
    said.hidden = !notes.some(({ comment }) => comment);
    count.textContent = plies.length ? `${place} / ${plies.length}` : "";
  };
  const jump = (/** @type {number} */ to) => {
    board.skip();
    place = Math.max(0, Math.min(plies.length, to));
    draw();
  };
  const forward = async () => {
    if (board.running.size) return board.skip();
    const ply = plies[place];
    if (!ply) return;
    const from = ++place;
    drawShapes(board, []);
    await board.play(ply);
    announce(moveSentence(ply, sideName(frame.sides[ply.side])));
    if (place === from) draw();
  };
  const steps = stepButtons((name) => t(`match.${name}`), {
    first: () => jump(0),
    back: () => jump(place - 1),
    next: forward,
    last: () => jump(plies.length),
  });
  const group = h("div.steps", { role: "group", "aria-label": t("match.replay") }, ...steps);
  const open = h("a.link", { href: link, target: "_blank", rel: "noopener" }, t("embed.open"));
  main.append(
    h("h1", title),
    h("div.place", board.element),
    said,
    h("div.foot", plies.length ? group : null, count, open),
  );
  document.title = `${title} · Ludus`;
  document.addEventListener("keydown", (event) =>
    runKey(event, {
      ArrowLeft: () => jump(place - 1),
      ArrowRight: forward,
      Home: () => jump(0),
      End: () => jump(plies.length),
    }),
  );
  draw();
}

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const query = new URLSearchParams(location.search);
const [, , kind, id] = location.pathname.split("/");
await setLanguage(query.get("lang") ?? document.documentElement.lang);
if (query.get("theme")) document.documentElement.dataset.theme = query.get("theme") ?? "";
try {
  const found = {
    match: () => matchShown(id),
    study: () => studyShown(id, Number(query.get("chapter") ?? 0)),
    analysis: () => positionShown(query),
  }[/** @type {"match" | "study" | "analysis"} */ (kind)];
  await show(main, await found());
} catch (error) {
  main.append(h("p.empty", error instanceof Error ? error.message : t("offline")));
}
