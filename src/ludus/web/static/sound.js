// The sounds of a board: a short synthesised tone for each kind of step. Knows no game.

import { storage } from "./page.js";

/**
 * Frequency in hertz at the start and at the end, length in seconds, waveform.
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
const MAX_RISES = 12;

/** @type {AudioContext | undefined} */
let context;

export const sounds = {
  /** Whether sounds are on; off by default. */
  get on() {
    return storage.read("sound") === "on";
  },
  set on(wanted) {
    storage.write("sound", wanted ? "on" : "off");
    if (wanted) playSound("place");
  },
};

/** Plays the sound of a step, a little higher at each step of a chain. @param {string} kind @param {number} [number] */
export function playSound(kind, number = 0) {
  if (!sounds.on || typeof AudioContext === "undefined") return; // everything works without sound
  context ??= new AudioContext();
  const [from, to, seconds, type] = TONES[kind] ?? TONES.place;
  const rise = RISE ** Math.min(number, MAX_RISES);
  const now = context.currentTime;
  const tone = new OscillatorNode(context, { type, frequency: from * rise });
  const volume = new GainNode(context, { gain: LOUDNESS });
  tone.frequency.exponentialRampToValueAtTime(to * rise, now + seconds);
  volume.gain.exponentialRampToValueAtTime(0.001, now + seconds);
  tone.connect(volume).connect(context.destination);
  tone.start(now);
  tone.stop(now + seconds);
}
