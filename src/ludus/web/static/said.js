// Our own sentences in the reader's language: grades, findings, lost games and refusals, which the server gives in
// English. A table has each sentence with holes {1}, {2} for names and numbers; in those that its translation writes as
// {1+} stands a sentence again. The server's `ludus.said` reads the same table by the same rules, for paper, and says
// why they are so.

/** @typedef {{ parts: string[], text: string, worth: number }} Pattern */
/** @typedef {{ known: number, text: string }} Reading */

const HOLE = /\{\d\}/;
const DEEPEST = 8;
const JOINT = -7;

/** @type {Pattern[]} */
let patterns = [];
let spoken = "en";

/** Speaks a language from now on; English is the server's own. @param {string} lang */
export async function learn(lang) {
  if (lang === spoken) return;
  try {
    speakBy(lang === "en" ? {} : await (await fetch(`/static/words/${lang}/said.json`)).json());
    spoken = lang;
  } catch {
    // then sentences are shown as they come
  }
}

/** Speaks by a table from now on. @param {Record<string, string>} table */
export function speakBy(table) {
  patterns = Object.entries(table).map(([known, text]) => {
    const parts = known.split(HOLE);
    return { parts, text, worth: /\p{L}/u.test(parts.join("")) ? parts.join("").length : JOINT };
  });
  patterns.sort((one, other) => Number(one.worth !== JOINT) - Number(other.worth !== JOINT));
}

/** Says a sentence of ours in the reader's language. @param {string | null | undefined} sentence */
export function translated(sentence) {
  return sentence && patterns.length ? read(sentence, 0, new Map()).text : (sentence ?? "");
}

/**
 * The reading that recognises most of a sentence: where several patterns fit, the wrong ones hide more.
 * @param {string} sentence @param {number} depth @param {Map<string, Reading>} seen @returns {Reading}
 */
function read(sentence, depth, seen) {
  const key = `${depth} ${sentence}`;
  const before = seen.get(key);
  if (before) return before;
  let best = { known: 0, text: sentence };
  for (const { parts, text, worth } of depth < DEEPEST ? patterns : []) {
    for (const holes of fits(parts, sentence)) {
      const inner = holes.map((hole, index) =>
        text.includes(`{${index + 1}+}`) ? read(hole, depth + 1, seen) : { known: 0, text: hole },
      );
      const known = inner.reduce((sum, one) => sum + one.known, worth);
      if (known > best.known)
        best = { known, text: text.replace(/\{(\d)\+?\}/g, (_, hole) => inner[Number(hole) - 1].text) };
    }
  }
  seen.set(key, best);
  return best;
}

const mirrored = (/** @type {string} */ text) => text.split("").reverse().join("");

/**
 * What may stand in the holes of a pattern: as little as can be in the first ones, or in the last ones.
 * @param {string[]} parts @param {string} sentence @returns {string[][]}
 */
function fits(parts, sentence) {
  const found = holesOf(parts, sentence);
  if (!found || found.length < 2) return found ? [found] : [];
  const turned = holesOf([...parts].reverse().map(mirrored), mirrored(sentence));
  return turned ? [found, turned.reverse().map(mirrored)] : [found];
}

/**
 * What stands in the holes of a pattern, found from the left; null where it does not fit.
 * @param {string[]} parts @param {string} sentence
 */
function holesOf(parts, sentence) {
  if (parts.length === 1) return sentence === parts[0] ? [] : null;
  const [first, ...middle] = parts;
  const last = middle.pop() ?? "";
  const end = sentence.length - last.length;
  if (!(sentence.startsWith(first) && sentence.endsWith(last) && first.length < end)) return null;
  let rest = sentence.slice(first.length, end);
  const holes = [];
  for (const part of middle) {
    const at = rest.indexOf(part);
    if (at < 0) return null;
    holes.push(rest.slice(0, at));
    rest = rest.slice(at + part.length);
  }
  holes.push(rest);
  return holes.every(Boolean) ? holes : null;
}
