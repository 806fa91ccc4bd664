// Explains in words what happened at a node. Knows the tree and the names of the sides.

import { gap, h, t, tCount } from "../page.js";
import { valueText } from "./tree.js";

/** @import { Tree } from "./tree.js" */
/** @typedef {{ tree: Tree, names: [string, string], scored: boolean, go: (node: number) => void }} Context */

/** Returns a link to a node. @param {Context} context @param {number} node */
function link({ tree, go }, node) {
  return h("button.way", { click: () => go(node) }, tree.movesTo(node).join(" "));
}

/**
 * Returns a sentence with elements in place of their names.
 * @param {string} sentence @param {Record<string, Node>} things
 */
function insertNodes(sentence, things) {
  return sentence.split(/(\{\w+\})/).map((part) => things[part.slice(1, -1)] ?? part);
}

/** Returns the bounds that held when the search entered a node. @param {Context} context @param {number} node */
function boundItems(context, node) {
  const { tree, names } = context;
  const { alphas, betas, alpha_by: alphaBy, beta_by: betaBy, sides } = tree.data;
  const sure = { max: names[sides[0]], min: names[1 - sides[0]] };
  const item = (
    /** @type {string} */ greek,
    /** @type {string} */ key,
    /** @type {number | null} */ value,
    /** @type {number | null} */ by,
  ) => {
    if (value === null || by === null) return [];
    const words = insertNodes(t(key, { ...sure, n: valueText(value) }), { way: link(context, by) });
    return [h("li", h("b.greek", greek), h("span", ...words))];
  };
  return [...item("α", "why.alpha", alphas[node], alphaBy[node]), ...item("β", "why.beta", betas[node], betaBy[node])];
}

/** Explains why the rest of a node was cut. @param {Context} context @param {number} node */
function describeCut({ tree, names }, node) {
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
    n: valueText(values[node]),
    limit: limit === null ? "" : valueText(limit),
  });
}

/** Explains a node as it is at a step. @param {Context} context @param {number} node @param {number} step */
export function describeNode(context, node, step) {
  const { tree, names, scored } = context;
  const { kinds, values, best, sides } = tree.data;
  const mover = names[sides[node]];
  const parts = [];
  if (kinds[node] === "leaf")
    parts.push(h("p", t(scored ? "why.leaf.points" : "why.leaf", { n: valueText(values[node]) })));
  else if (kinds[node] === "end") parts.push(h("p", t("why.end", { n: valueText(values[node]) })));
  else {
    parts.push(h("p", t(tree.isMax(node) ? "why.max" : "why.min", { mover })));
    if (tree.prunes && node) {
      const sure = boundItems(context, node);
      parts.push(sure.length ? h("ul.bounds", ...sure) : h("p.dim", t("why.open")));
    }
    const child = best[node];
    if (tree.goes[node] > step) {
      const now = tree.bestBy(node, step);
      parts.push(
        h(
          "p",
          now === null ? t("why.nothing") : t("why.sofar", { move: tree.data.moves[now], n: valueText(values[now]) }),
        ),
      );
    } else if (child !== null) {
      const skipped = tree.skipped(node);
      parts.push(
        h(
          "p",
          h(
            "strong",
            t(node ? "why.value" : "why.root", {
              bound: tree.bound(node),
              n: valueText(values[node]),
              move: tree.data.moves[child],
              mover,
            }),
          ),
        ),
      );
      if (skipped.length)
        parts.push(
          h("p.cutting", h("b", tCount("why.cut", skipped.length)), gap(), describeCut(context, node)),
          h("p.dim.moved", skipped.join(" ")),
        );
      else if (tree.bound(node)) parts.push(h("p.dim", t(tree.bound(node) === "≤" ? "why.most" : "why.least")));
    }
  }
  return parts;
}

/** Explains a step in one sentence. @param {Context} context @param {number} step */
export function describeStep(context, step) {
  const { tree, names } = context;
  const { moves, values, parents, sides } = tree.data;
  const event = tree.steps[step];
  const node = event >= 0 ? event : -event - 1;
  if (node === 0)
    return event >= 0
      ? t("step.begin", { mover: names[sides[0]] })
      : t("step.end", { move: tree.data.move, n: valueText(values[0]) });
  const parent = parents[node];
  const mover = names[sides[parent]];
  if (event >= 0) return t("step.come", { mover, move: moves[node] });
  const before = tree.bestBy(parent, step - 1);
  const isBest = tree.bestBy(parent, step) === node;
  const n = `${tree.bound(node)}${valueText(values[node])}`;
  const text =
    before === null
      ? t("step.first", { move: moves[node], n, mover })
      : t(isBest ? "step.better" : "step.worse", {
          move: moves[node],
          n,
          mover,
          best: moves[before],
          m: valueText(values[before]),
        });
  return tree.skipped(node).length
    ? `${tCount("why.cut", tree.skipped(node).length)}${gap()}${describeCut(context, node)}`
    : text;
}
