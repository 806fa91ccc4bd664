// Asks the server about positions: what they are, and what the engine thinks of them, one at a time. Knows only the
// addresses.

import { listen } from "../components.js";
import { ask } from "../page.js";

/** @import { Line } from "./evaluation.js" */
/** @import { Frame, Mark, Message, Ply, Position } from "../page.js" */
/**
 * `why` says why the first move is best.
 * @typedef {{ depth: number, nodes: number, seconds: number, done: boolean, lines: Line[], why?: Message[] | null,
 *   refused?: string, message?: Message }} EngineInfo
 */
/** @typedef {{ game: string, options: string, text: string }} PositionQuery */
/** @typedef {{ cell: string, mark: Mark }} Piece of the editor's palette */
/**
 * A position after some plies from a start.
 * @typedef {{ frame: Frame, options?: string, palette?: Piece[], course_file?: boolean, start:
 *   Position, plies?: Ply[], position: Position }} Study
 */

const RAPID_MS = 300;
const DELAY_MS = 90; // someone who steps quickly through a game asks for no position on the way

/** Returns options of a game as text: `rows=9 cols=6`. @param {Record<string, number | string>} options */
export const optionsText = (options) =>
  Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

/** Returns the query string that names a position. @param {PositionQuery} place @param {string[]} [moves] */
export function positionQuery({ game, options, text }, moves = []) {
  const words = new URLSearchParams({ game });
  if (options) words.set("options", options);
  words.set("position", text);
  for (const move of moves) words.append("moves", move);
  return words.toString();
}

/** Fetches positions, and remembers the recent ones. */
export class PositionCache {
  constructor() {
    /** @type {Map<string, Promise<Study>>} */
    this.known = new Map();
  }

  /**
   * Fetches a position with the result of some moves from it.
   * @param {PositionQuery} query @param {string[]} [moves] @returns {Promise<Study>}
   */
  fetch(query, moves = []) {
    const asked = positionQuery(query, moves);
    const answer = this.known.get(asked) ?? ask(`/api/positions?${asked}`);
    if (this.known.size > 300) this.known.clear();
    this.known.set(asked, answer);
    answer.catch(() => this.known.delete(asked));
    return answer;
  }
}

/** Asks what the engine thinks: a new question ends the last one. */
export class EngineClient {
  /** @param {(thought: EngineInfo) => void} onInfo */
  constructor(onInfo) {
    this.onInfo = onInfo;
    /** @type {EventSource | null} */
    this.source = null;
    this.waiting = 0;
    this.lastAsked = -Infinity;
    /** Recent answers. @type {Map<string, EngineInfo>} */
    this.cache = new Map();
  }

  /** @param {PositionQuery} place */
  ask(place) {
    this.stop();
    const asked = positionQuery(place);
    const known = this.cache.get(asked);
    if (known) this.onInfo(known);
    if (known?.done) return;
    const delay = performance.now() - this.lastAsked > RAPID_MS ? 0 : DELAY_MS;
    this.lastAsked = performance.now();
    this.waiting = setTimeout(() => {
      const source = (this.source = listen(`/api/positions/events?${asked}`, (/** @type {EngineInfo} */ info) => {
        if (this.cache.size > 200) this.cache.clear();
        if (!info.refused) this.cache.set(asked, info);
        if (info.done) source.close();
        this.onInfo(info);
      }));
    }, delay);
  }

  stop() {
    clearTimeout(this.waiting);
    this.source?.close();
    this.source = null;
  }
}
