// How many positions each method searched, and how the methods work, in words. Pure: data in, elements out.

import { h, numberText, t } from "../page.js";

/**
 * Returns the comparison of the methods.
 * @param {import("./tree.js").Tree} tree @param {boolean} scored whether the game has points @param {string} side its
 * name at the root
 */
export function countParts(tree, scored, side) {
  const { counts, nodes, method } = tree.data;
  const all = counts.minimax;
  const most = Math.max(1, ...Object.values(counts).map((count) => count ?? 0));
  const saved = (/** @type {number} */ count) =>
    all === null ? "" : `${(100 * (1 - count / all)).toFixed(count / all < 0.01 ? 2 : 1)}%`;
  const values = { method: t(`method.${method}`), n: numberText(nodes) };
  const summary =
    method === "minimax" || all === null
      ? t("counts.only", values)
      : t("counts.saved", { ...values, all: numberText(all), saved: saved(nodes) });
  const row = (/** @type {string} */ name, /** @type {number | null} */ count) => {
    const used = name === method ? "used" : "";
    const bar = h("span.bar");
    bar.style.setProperty("--part", String((count ?? most) / most));
    const number = h("span.tally", count === null ? t("counts.many") : numberText(count));
    const less = h("small", count === null || name === "minimax" ? "" : t("counts.less", { saved: saved(count) }));
    return [h("dt", { class: used }, t(`method.${name}`)), h("dd", { class: used }, bar, number, less)];
  };
  const how = ["how.minimax", "how.alpha", "how.order", scored ? "how.points" : "how.values"];
  return [
    h("h2", t("counts.title")),
    h("p.saying", summary),
    h("dl", ...Object.entries(counts).flatMap(([name, count]) => row(name, count))),
    h("p.dim", t("counts.same")),
    h("details", h("summary", t("explorer.how")), ...how.map((key) => h("p", t(key, { side })))),
  ];
}
