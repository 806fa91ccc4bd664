// Asks the engine about positions, one at a time: a new question ends the one before. Knows only where to ask.

/** @typedef {import("./worth.js").Line} Line */
/**
 * @typedef {{ depth: number, nodes: number, seconds: number, done: boolean, lines: Line[], refused?: string }} Thought
 */
/** @typedef {{ game: string, options: string, text: string }} Place */

const HURRY_MS = 300;
const CALM_MS = 90; // who runs through a game asks nothing on the way

/** The query that names a position. @param {Place} place @param {string[]} [moves] */
export function query({ game, options, text }, moves = []) {
  const words = new URLSearchParams({ game });
  if (options) words.set("options", options);
  words.set("position", text);
  for (const move of moves) words.append("moves", move);
  return words.toString();
}

export class Thinker {
  /** @param {(thought: Thought) => void} told */
  constructor(told) {
    this.told = told;
    /** @type {EventSource | null} */
    this.source = null;
    this.waiting = 0;
    this.asked = -Infinity;
    /** What was found of late. @type {Map<string, Thought>} */
    this.known = new Map();
  }

  /** @param {Place} place */
  ask(place) {
    this.stop();
    const asked = query(place);
    const known = this.known.get(asked);
    if (known) this.told(known);
    if (known?.done) return;
    const calm = performance.now() - this.asked > HURRY_MS ? 0 : CALM_MS;
    this.asked = performance.now();
    this.waiting = setTimeout(() => {
      const source = (this.source = new EventSource(`/api/positions/events?${asked}`));
      source.onmessage = ({ data }) => {
        const thought = /** @type {Thought} */ (JSON.parse(data));
        if (this.known.size > 200) this.known.clear();
        if (!thought.refused) this.known.set(asked, thought);
        if (thought.done) source.close();
        this.told(thought);
      };
    }, calm);
  }

  stop() {
    clearTimeout(this.waiting);
    this.source?.close();
    this.source = null;
  }
}
