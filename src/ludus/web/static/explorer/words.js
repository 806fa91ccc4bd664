// What happened at a node, in plain words. Knows the tree and the names of the sides.

import { counted, h, t } from "../page.js";
import { written } from "./tree.js";

/** @typedef {import("./tree.js").Tree} Tree */
/** @typedef {{ tree: Tree, names: [string, string], scored: boolean, go: (node: number) => void }} Telling */

/** A way to a node that one can go by a click. @param {Telling} telling @param {number} node */
function link({ tree, go }, node) {
  return h("button", { type: "button", class: "way", click: () => go(node) }, tree.movesTo(node).join(" "));
}

/**
 * Puts things into a sentence in place of their names.
 * @param {string} sentence @param {Record<string, Node>} things
 */
function woven(sentence, things) {
  return sentence.split(/(\{\w+\})/).map((part) => things[part.slice(1, -1)] ?? part);
}

/** What was sure when the search came here. @param {Telling} telling @param {number} node */
function bounds(telling, node) {
  const { tree, names } = telling;
  const { alphas, betas, alpha_by: alphaBy, beta_by: betaBy, sides } = tree.data;
  const max = names[sides[0]];
  const min = names[1 - sides[0]];
  const lines = [];
  const alpha = alphas[node];
  const beta = betas[node];
  const from = alphaBy[node];
  const held = betaBy[node];
  if (alpha !== null && from !== null)
    lines.push(
      h(
        "li",
        {},
        h("b", { class: "greek" }, "α"),
        h("span", {}, ...woven(t("why.alpha", { max, n: written(alpha) }), { way: link(telling, from) })),
      ),
    );
  if (beta !== null && held !== null)
    lines.push(
      h(
        "li",
        {},
        h("b", { class: "greek" }, "β"),
        h("span", {}, ...woven(t("why.beta", { min, n: written(beta) }), { way: link(telling, held) })),
      ),
    );
  return lines;
}

/** Why the rest of a node was left out. @param {Telling} telling @param {number} node */
export function cutWords({ tree, names }, node) {
  const { values, sides, best } = tree.data;
  const mover = names[sides[node]];
  const other = names[1 - sides[node]];
  const isMax = tree.isMax(node);
  const limit = isMax ? tree.data.betas[node] : tree.data.alphas[node];
  const answer = best[node];
  return t(isMax ? "why.cut.max" : "why.cut.min", {
    mover,
    other,
    move: answer === null ? "" : tree.data.moves[answer],
    n: written(values[node]),
    limit: limit === null ? "" : written(limit),
  });
}

/** All that is to be said of a node by a step. @param {Telling} telling @param {number} node @param {number} step */
export function nodeWords(telling, node, step) {
  const { tree, names, scored } = telling;
  const { kinds, values, best, sides } = tree.data;
  const mover = names[sides[node]];
  const said = [];
  if (kinds[node] === "leaf")
    said.push(h("p", {}, t(scored ? "why.leaf.points" : "why.leaf", { n: written(values[node]) })));
  else if (kinds[node] === "end") said.push(h("p", {}, t("why.end", { n: written(values[node]) })));
  else {
    said.push(h("p", {}, t(tree.isMax(node) ? "why.max" : "why.min", { mover })));
    if (tree.prunes && node) {
      const sure = bounds(telling, node);
      said.push(sure.length ? h("ul", { class: "bounds" }, ...sure) : h("p", { class: "dim" }, t("why.open")));
    }
    const child = best[node];
    if (tree.goes[node] > step) {
      const now = tree.bestBy(node, step);
      said.push(
        h(
          "p",
          {},
          now === null ? t("why.nothing") : t("why.sofar", { move: tree.data.moves[now], n: written(values[now]) }),
        ),
      );
    } else if (child !== null) {
      const skipped = tree.skipped(node);
      said.push(
        h(
          "p",
          {},
          h(
            "strong",
            {},
            t(node ? "why.value" : "why.root", {
              bound: tree.bound(node),
              n: written(values[node]),
              move: tree.data.moves[child],
              mover,
            }),
          ),
        ),
      );
      if (skipped.length)
        said.push(
          h("p", { class: "cutting" }, h("b", {}, counted("why.cut", skipped.length)), " ", cutWords(telling, node)),
          h("p", { class: "dim moved" }, skipped.join(" ")),
        );
      else if (tree.bound(node))
        said.push(h("p", { class: "dim" }, t(tree.bound(node) === "≤" ? "why.most" : "why.least")));
    }
  }
  return said;
}

/** What happens at a step, in one sentence. @param {Telling} telling @param {number} step */
export function stepWords(telling, step) {
  const { tree, names } = telling;
  const { moves, values, parents, sides } = tree.data;
  const event = tree.steps[step];
  const node = event >= 0 ? event : -event - 1;
  if (node === 0)
    return event >= 0
      ? t("step.begin", { mover: names[sides[0]] })
      : t("step.end", { move: tree.data.move, n: written(values[0]) });
  const parent = parents[node];
  const mover = names[sides[parent]];
  if (event >= 0) return t("step.come", { mover, move: moves[node] });
  const before = tree.bestBy(parent, step - 1);
  const isBest = tree.bestBy(parent, step) === node;
  const n = `${tree.bound(node)}${written(values[node])}`;
  const told =
    before === null
      ? t("step.first", { move: moves[node], n, mover })
      : t(isBest ? "step.better" : "step.worse", {
          move: moves[node],
          n,
          mover,
          best: moves[before],
          m: written(values[before]),
        });
  return tree.skipped(node).length
    ? `${counted("why.cut", tree.skipped(node).length)} ${cutWords(telling, node)}`
    : told;
}
