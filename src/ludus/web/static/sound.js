// What a board sounds like: a short tone for each kind of step, made here and fetched from nowhere. Knows no game.

import { kept } from "./page.js";

/**
 * Pitch in hertz, where it glides to, its length in seconds, its form.
 * @type {Record<string, [number, number, number, OscillatorType]>}
 */
const TONES = {
  place: [300, 220, 0.09, "sine"],
  explode: [180, 60, 0.16, "triangle"],
  claim: [520, 700, 0.1, "sine"],
  remove: [420, 320, 0.07, "sine"],
  run: [660, 880, 0.12, "triangle"],
  fall: [140, 90, 0.07, "sine"],
};
const LOUDNESS = 0.12;
const RISE = 1.06;
const MOST_RISES = 12;

/** @type {AudioContext | undefined} */
let context;

export const sounds = {
  /** Whether sounds are wanted; they are not unless someone asked. */
  get on() {
    return kept.read("sound") === "on";
  },
  set on(wanted) {
    kept.write("sound", wanted ? "on" : "off");
    if (wanted) hear("place");
  },
};

/**
 * Plays the sound of a step; each step of a chain a little higher than the one before.
 * @param {string} kind @param {number} [number]
 */
export function hear(kind, number = 0) {
  if (!sounds.on || typeof AudioContext === "undefined") return; // without sound everything works as well
  context ??= new AudioContext();
  const [from, to, seconds, type] = TONES[kind] ?? TONES.place;
  const rise = RISE ** Math.min(number, MOST_RISES);
  const now = context.currentTime;
  const tone = new OscillatorNode(context, { type, frequency: from * rise });
  const volume = new GainNode(context, { gain: LOUDNESS });
  tone.frequency.exponentialRampToValueAtTime(to * rise, now + seconds);
  volume.gain.exponentialRampToValueAtTime(0.001, now + seconds);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + seconds);
}
