// The graph of the win chance over a game: the first side's share from below, marks at bad moves.

import { svg, t } from "../page.js";

const WIDTH = 360;
const HEIGHT = 96;
const MARKS = {
  inaccuracy: "M-3.2 0 A3.2 3.2 0 1 0 3.2 0 A3.2 3.2 0 1 0 -3.2 0 Z",
  mistake: "M0 -5 L5 4 L-5 4 Z",
  blunder: "M0 -6 L6 0 L0 6 L-6 0 Z",
};

/** @typedef {{ ply: number, chance: number }} Point */
/** @typedef {{ ply: number, chance: number, grade: string, side: number, words: string }} Spot */

export class Graph {
  /** @param {number} plies @param {(ply: number) => void} chosen */
  constructor(plies, chosen) {
    this.plies = Math.max(1, plies);
    this.area = svg("path.first");
    this.line = svg("path.curve");
    this.spots = svg("g");
    this.now = svg("line.now", { y1: 0, y2: HEIGHT });
    this.picture = svg(
      "svg.graph",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": t("graph.label") },
      svg("rect.second", { width: WIDTH, height: HEIGHT }),
      this.area,
      svg("line.even", { x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      this.line,
      this.now,
      this.spots,
    );
    this.picture.addEventListener("click", (event) => {
      const { clientX } = /** @type {MouseEvent} */ (event);
      const box = this.picture.getBoundingClientRect();
      chosen(Math.round(((clientX - box.left) / box.width) * this.plies));
    });
  }

  /** @param {number} ply */
  x(ply) {
    return Math.round((10 * WIDTH * ply) / this.plies) / 10;
  }

  /** @param {number} chance */
  y(chance) {
    return Math.round(10 * (HEIGHT - 4 - chance * (HEIGHT - 8))) / 10;
  }

  /** @param {Point[]} points @param {Spot[]} spots */
  draw(points, spots) {
    if (!points.length) return;
    const steps = points.map(({ ply, chance }) => `${this.x(ply)} ${this.y(chance)}`).join("L");
    this.line.setAttribute("d", `M${steps}`);
    this.area.setAttribute(
      "d",
      `M${this.x(points[0].ply)} ${HEIGHT}L${steps}L${this.x(points[points.length - 1].ply)} ${HEIGHT}Z`,
    );
    this.spots.replaceChildren(
      ...spots.map(({ ply, chance, grade, side, words }) =>
        svg(
          "path",
          {
            d: MARKS[/** @type {keyof typeof MARKS} */ (grade)],
            class: `spot ${grade} side${side}`,
            transform: `translate(${this.x(ply)} ${this.y(chance)})`,
          },
          svg("title", words),
        ),
      ),
    );
  }

  /** @param {number} ply */
  at(ply) {
    const x = Math.max(1, Math.min(WIDTH - 1, this.x(ply)));
    this.now.setAttribute("x1", String(x));
    this.now.setAttribute("x2", String(x));
  }
}
