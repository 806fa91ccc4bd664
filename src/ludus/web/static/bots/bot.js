// The page of a bot: its versions with their checks, rating, challenges, and a form for the next version.

import { ask, gameName, go, h, handler, joinFacts, say, svg, t, tOr, toast } from "../page.js";
import { Panel, button, card, confirmButton, listen, select, working } from "../components.js";
import { challengeList, shortDateTime, spreadOf } from "./challenges.js";
import { checkResults } from "./check.js";
import { ReportPanel } from "./report.js";
import { uploadForm } from "./upload.js";

/** @import { ChallengeLine, Rating } from "./challenges.js" */
/** @import { Version, VersionLine } from "./check.js" */
/**
 * @typedef {{ id: number, player: string, name: string, game: string, owner: string | null, mine: boolean, public:
 *   boolean, entered: boolean, version: number | null, newest: number | null, state: string | null, rank: number | null
 *   }} BotLine
 */
/**
 * @typedef {BotLine & { versions: VersionLine[], challenges: ChallengeLine[], history: { at: string, version: number,
 *   rating: Rating }[], rating: Rating | null, sees: string[] }} Bot
 */

/** @param {string | null} state of a version */
export const versionBadge = (state) =>
  h("span", { class: `badge ${state ?? "none"}` }, t(`bots.state.${state ?? "none"}`));

/** Returns a plot of the ratings over time with their intervals. @param {Bot["history"]} history */
function ratingPlot(history) {
  const low = Math.min(...history.map(({ rating }) => rating.low));
  const high = Math.max(...history.map(({ rating }) => rating.high), low + 1);
  const x = (/** @type {number} */ at) => 20 + (at * 360) / Math.max(1, history.length - 1);
  const y = (/** @type {number} */ elo) => 110 - (100 * (elo - low)) / (high - low);
  const elo = Math.round(history[history.length - 1].rating.elo);
  return h(
    "figure.history",
    svg(
      "svg",
      { viewBox: "0 0 400 120", role: "img", "aria-label": t("bots.history.label", { n: history.length, elo }) },
      svg("polyline.line", { points: history.map(({ rating }, at) => `${x(at)},${y(rating.elo)}`).join(" ") }),
      ...history.flatMap(({ rating }, at) => [
        svg("line.interval", { x1: x(at), x2: x(at), y1: y(rating.low), y2: y(rating.high) }),
        svg("circle.point", { cx: x(at), cy: y(rating.elo), r: 4 }),
      ]),
    ),
    h("figcaption.dim", t("bots.history.range", { low: Math.round(low), high: Math.round(high) })),
  );
}

class BotPage {
  /** @param {HTMLElement} main @param {Bot} bot @param {number | undefined} wanted the version to show */
  constructor(main, bot, wanted) {
    this.bot = bot;
    this.path = `/api/bots/${bot.id}`;
    this.shown = (bot.versions.find(({ number }) => number === wanted) ?? bot.versions[0])?.number ?? 0;
    /** @type {EventSource | undefined} */
    this.source;
    document.title = `${bot.name} · Ludus`;
    this.head = new Panel("header.bot-head");
    this.check = h("section.part.check", { "aria-live": "polite" });
    this.report = new ReportPanel(bot.id);
    this.rating = new Panel("section.part");
    this.challenges = new Panel("section.part");
    // never redrawn: someone may be filling it in while a check ends
    this.next = card(
      t("bots.next"),
      uploadForm([], async (upload) => {
        this.shown = (await ask(`${this.path}/versions`, upload)).version;
        await this.refresh();
        await this.open(this.shown);
      }),
    );
    main.append(
      this.head.element,
      h(
        "div.columns",
        h("div.side", this.check, this.report.element),
        h("div.side", this.rating.element, this.challenges.element, this.next),
      ),
    );
    this.draw();
  }

  leave() {
    this.source?.close();
    this.report.close();
  }

  async refresh() {
    this.bot = await ask(this.path);
    this.draw();
  }

  /** Changes something on the server. @param {string} path @param {unknown} data */
  async change(path, data) {
    await ask(`${this.path}/${path}`, data);
    await this.refresh();
  }

  async remove() {
    const { name } = this.bot;
    await ask(`${this.path}/remove`, {});
    toast(t("bots.removed", { name }));
    go("/bots");
  }

  draw() {
    const { bot } = this;
    const { version, entered, rank, rating, history, challenges, sees } = bot;
    this.head.show([version, entered, rank, bot.public, sees], () => this.headParts());
    this.rating.element.hidden = !rating;
    this.rating.show([rating, history], () => (rating ? this.ratingParts(rating) : []));
    this.challenges.element.hidden = !challenges.length;
    this.challenges.show(challenges, () => [h("h2", t("bots.challenges")), challengeList(challenges)]);
    this.next.hidden = !sees.includes("change");
    this.check.hidden = !sees.includes("checks");
  }

  headParts() {
    const { name, game, owner, version, entered, rank, sees, player, public: open } = this.bot;
    const joins = sees.includes("change") && version !== null && !entered;
    const facts = [
      gameName(game, game),
      owner && t("bots.by", { name: owner }),
      version && t("bots.plays", { n: version }),
    ];
    return [
      h("div", h("h1", name), h("p.dim", joinFacts(...facts))),
      h(
        "div.row",
        joins && button("bots.enter", () => this.change("enter", {}), "button"),
        entered && h("a.button", { href: `/ladder/${game}` }, rank ? t("bots.rank", { n: rank }) : t("bots.ladder")),
        version !== null && h("a.quiet", { href: `/play?game=${game}&player=${player}` }, t("bots.play")),
        joins &&
          button(open ? "bots.make.private" : "bots.make.public", () => this.change("public", { public: !open })),
        sees.includes("remove") &&
          confirmButton(
            "bots.remove",
            () => t("bots.remove.sure", { name }),
            () => this.remove(),
          ),
      ),
    ];
  }

  /** @param {Rating} rating */
  ratingParts(rating) {
    const { history } = this.bot;
    return [
      h("h2", t("bots.rating")),
      h(
        "p.elo",
        h("strong", String(Math.round(rating.elo))),
        h("span.dim", ` ± ${spreadOf(rating)} · `, t("bots.games", { n: rating.games })),
      ),
      h("p.dim", t("bots.rating.means")),
      history.length > 1 && ratingPlot(history),
    ];
  }

  /** Shows a version, and the progress of its check. @param {number} number */
  async open(number) {
    this.source?.close();
    this.shown = number;
    const path = `${this.path}/versions/${number}`;
    /** @type {Version} */
    const version = await ask(path);
    const { state, language, protocol } = version;
    const going = state === "waiting" || state === "checking";
    const text = h("span", t("bots.checking.wait"));
    const versions = this.bot.versions.map((one) => {
      const facts = [t("bots.version", { n: one.number }), t(`bots.state.${one.state}`), shortDateTime(one.created)];
      return [String(one.number), joinFacts(...facts)];
    });
    const choose = (/** @type {string} */ value) => handler(() => this.open(Number(value)))();
    this.check.replaceChildren(
      h("div.row.between", h("h2", t("bots.check")), versionBadge(state)),
      select(versions, String(number), { "aria-label": t("bots.versions") }, choose),
      h("p.dim", joinFacts(tOr(`language.${language}`, language), t("bots.speaks", { protocol }))),
      going ? working(text) : checkResults(path, version, this.bot.sees.includes("logs")),
    );
    if (state === "passed") this.report.show(number);
    else this.report.hide();
    if (!going) return;
    this.source = listen(`${path}/events`, async (update) => {
      if (update.progress) text.textContent = say(update.progress.message, update.progress.text);
      if (!update.over) return;
      this.source?.close();
      await this.refresh();
      if (this.shown === number) await this.open(number);
    });
  }
}

/** Shows the page of a bot. @param {HTMLElement} main @param {number} id @param {number} [wanted] see `BotPage` */
export async function showBot(main, id, wanted) {
  const page = new BotPage(main, await ask(`/api/bots/${id}`), wanted);
  if (page.bot.sees.includes("checks") && page.shown) await page.open(page.shown);
  if (wanted) page.report.element.scrollIntoView({ block: "center" });
  return () => page.leave();
}
