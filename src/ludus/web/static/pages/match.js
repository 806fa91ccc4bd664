// A match: play it, watch it live, or replay it. Shows what the server says and sends what the person chooses.

import { Board, lookOf } from "../board.js";
import {
  ask,
  copy,
  counted,
  gameName,
  go,
  h,
  personName,
  playerName,
  say,
  sideMark,
  sideName,
  sign,
  t,
  tOr,
  toast,
  trying,
} from "../page.js";
import { hear, sounds } from "../sound.js";
import { clockName } from "./play.js";

/** @typedef {import("../page.js").Frame} Frame */
/** @typedef {import("../page.js").Move} Move */
/** @typedef {import("../page.js").Outcome} Outcome */
/** @typedef {import("../page.js").Ply} Ply */
/** @typedef {import("../page.js").Position} Position */
/** @typedef {{ player: string, name?: string, you?: boolean }} Seat */
/**
 * @typedef {{ id: string, version: number, since?: number, frame: Frame, seats: [Seat, Seat], clock: string, left:
 *   [number | null, number | null], running?: number | null, elapsed?: number, plies?: Ply[], start: Position,
 *   position: Position, may?: string[], rematch?: string }} View
 */

const AGAIN_MS = 2000;

/** Says what a move did, from its steps. @param {Ply} ply */
export function effects({ steps }) {
  const cells = (/** @type {string} */ kind) =>
    steps.filter((step) => step.kind === kind).reduce((sum, step) => sum + step.cells.length, 0);
  const waves = steps.filter((step) => step.kind === "explode").length;
  const points = steps.reduce((sum, step) => sum + (step.points ?? 0), 0);
  return [
    cells("claim") && counted("did.claim", cells("claim")),
    waves && (waves > 1 ? t("did.waves", { n: cells("explode"), waves }) : counted("did.explode", cells("explode"))),
    cells("line") && t("did.line", { n: cells("line") }),
    cells("run") && t("did.run", { n: cells("run") }),
    points && counted("did.points", points),
  ]
    .filter(Boolean)
    .join(t("comma"));
}

/** Says how a game ended. @param {View} view @param {number} plies */
export function ending(view, plies) {
  const { frame, position, seats } = view;
  const outcome = position.outcome;
  if (!outcome) return "";
  const names = frame.sides.map(sideName);
  const winner = outcome.winner;
  const scores = position.scores;
  if (winner === undefined || winner === null) return scores ? t("end.draw.points", { n: scores[0] }) : t("end.draw");
  const loser = names[1 - winner];
  const who =
    seats[winner].you && !seats[1 - winner].you
      ? t("end.you")
      : seats[1 - winner].you && !seats[winner].you
        ? t("end.lost", { winner: names[winner] })
        : t("end.wins", { winner: names[winner] });
  const why =
    outcome.reason !== "rules"
      ? tOr(`reason.${outcome.reason}`, outcome.reason)
      : scores
        ? t("end.points", { high: scores[winner], low: scores[1 - winner] })
        : tOr(`end.${frame.game}`, "");
  return `${who} ${why.replace("{loser}", loser)} ${counted("end.moves", plies)}`.trim();
}

/** @param {number} seconds */
function clockText(seconds) {
  const left = Math.max(0, seconds);
  if (left < 10) return left.toFixed(1);
  return `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
}

/** A button that turns sounds on and off. */
function soundButton() {
  const show = () => {
    button.setAttribute("aria-pressed", String(sounds.on));
    button.replaceChildren(sign(sounds.on ? "loud" : "still"));
  };
  const button = h("button", {
    class: "quiet sound",
    type: "button",
    "aria-label": t("match.sound"),
    title: t("match.sound"),
    click: () => ((sounds.on = !sounds.on), show()),
  });
  show();
  return button;
}

class MatchPage {
  /** @param {HTMLElement} main @param {View} view @param {import("../board.js").Look} look */
  constructor(main, view, look) {
    this.view = view;
    /** @type {Ply[]} */
    this.plies = [...(view.plies ?? [])];
    /** Where one wants to be: the ply that the board goes to. */
    this.at = this.plies.length;
    /** The ply that the board has reached: what stands beside the board is never ahead of it. */
    this.reached = this.at;
    /** How many plies are listed: all but those that the board has yet to show for the first time. */
    this.listed = this.at;
    this.flipped = view.seats[1].you === true && !view.seats[0].you;
    this.arrived = performance.now();
    /** Whether the newest move is looked at, as it comes. */
    this.follows = true;
    /** Counts the ways that were set out on: one that is overtaken by another ends. */
    this.journey = 0;
    /** The moves as they are listed. @type {Ply[]} */
    this.drawn = [];
    /** What the actions were drawn from. @type {View | undefined} */
    this.offered = undefined;
    /** @type {Promise<void>} */
    this.playing = Promise.resolve();
    this.sending = false;
    this.autoplay = 0;
    this.left = false;
    this.again = 0;
    const name = gameName(view.frame.game, view.frame.title);
    document.title = `${name} · Ludus`;
    this.board = new Board(view.frame, look, {
      label: t("board.label", { game: name }),
      chosen: (move) => this.choose(move),
    });
    this.board.hear = hear;
    this.bars = [h("div", { class: "player side0" }), h("div", { class: "player side1" })];
    this.clocks = [h("span", { class: "clock" }), h("span", { class: "clock" })];
    this.status = h("p", { class: "status" });
    this.list = h("ol", { class: "moves", "aria-label": t("match.moves") });
    this.slider = /** @type {HTMLInputElement} */ (
      h("input", {
        type: "range",
        min: 0,
        value: this.at,
        "aria-label": t("match.slider"),
        input: () => this.jump(Number(this.slider.value)),
      })
    );
    this.steps = h(
      "div",
      { class: "steps", role: "group", "aria-label": t("match.replay") },
      this.step("first", "match.first", () => this.jump(0)),
      this.step("back", "match.back", () => this.jump(this.at - 1)),
      this.step("next", "match.next", () => this.forward()),
      this.step("last", "match.last", () => this.jump(this.plies.length)),
    );
    this.actions = h("div", { class: "actions" });
    this.share = h("div", { class: "share" });
    this.top = h("div", { class: "seat" });
    this.bottom = h("div", { class: "seat" });
    main.className = "match";
    main.append(
      h("h1", { class: "unseen" }, name),
      h("section", { class: "table", "aria-label": name }, this.top, this.board.element, this.bottom),
      h(
        "aside",
        { class: "panel" },
        h(
          "div",
          { class: "what" },
          h("strong", {}, name),
          h("span", { class: "dim" }, [`${view.frame.rows}×${view.frame.cols}`, clockName(view.clock)].join(" · ")),
          soundButton(),
        ),
        this.status,
        this.share,
        this.actions,
        this.list,
        h("div", { class: "replay" }, this.steps, this.slider),
      ),
    );
    this.shown();
    this.ticking = setInterval(() => this.tick(), 100);
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.source = this.listen();
  }

  /**
   * Follows the match; a stream that the server refuses for a while, as it starts or a game begins anew, is asked for
   * again.
   */
  listen() {
    const source = new EventSource(`/api/matches/${this.view.id}/events?seen=${this.view.version}`);
    source.onmessage = (event) => this.take(JSON.parse(event.data));
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED && !this.left)
        this.again = setTimeout(() => (this.source = this.listen()), AGAIN_MS);
    };
    return source;
  }

  /** @param {"first" | "back" | "next" | "last"} name @param {string} key @param {() => void} work */
  step(name, key, work) {
    return h(
      "button",
      { type: "button", class: "quiet", "aria-label": t(key), title: t(key), click: work },
      sign(name),
    );
  }

  leave() {
    this.left = true;
    clearTimeout(this.again);
    this.source.close();
    clearInterval(this.ticking);
    clearInterval(this.autoplay);
    document.removeEventListener("keydown", this.keys);
  }

  /** Takes what has changed. @param {View} view */
  take(view) {
    const ends = !this.view.position.outcome && Boolean(view.position.outcome);
    this.view = view;
    this.arrived = performance.now();
    this.sending = false;
    const kept = view.since ?? 0;
    const cut = this.at > kept && kept < this.plies.length;
    this.plies.length = Math.min(this.plies.length, kept);
    this.plies.push(...(view.plies ?? []));
    this.board.point([]);
    if (cut) this.at = kept;
    if (cut) this.board.skip();
    this.reached = Math.min(this.reached, kept);
    this.listed = this.follows || cut ? Math.min(this.listed, kept) : this.plies.length;
    if (this.follows || cut) this.catchUp();
    else {
      this.draw();
      if (ends) toast(ending(view, this.plies.length)); // the panel tells it only at the last move
    }
  }

  /** Shows the moves that are new, one after the other. */
  async catchUp() {
    const mine = ++this.journey;
    this.follows = true;
    await this.playing;
    if (mine !== this.journey) return;
    if (this.plies.length - this.at > 3) this.at = this.plies.length - 1;
    this.shown();
    while (mine === this.journey && this.at < this.plies.length) {
      await this.move();
      if (mine === this.journey) this.shown();
    }
  }

  /** Shows the next move on the board; what is beside the board waits for it. */
  async move() {
    this.board.set(this.boardAt(this.at));
    const ply = this.plies[this.at++];
    this.allow();
    await (this.playing = this.board.play(ply));
  }

  /** The board after so many plies. @param {number} at */
  boardAt(at) {
    for (let ply = at; ply > 0; ply--) {
      const { steps } = this.plies[ply - 1];
      if (steps.length) return steps[steps.length - 1].board;
    }
    return this.view.start.board;
  }

  /** Goes to a ply at once. @param {number} at */
  async jump(at) {
    const mine = ++this.journey;
    this.at = Math.max(0, Math.min(this.plies.length, at));
    this.follows = this.at === this.plies.length;
    this.board.skip();
    await this.playing;
    if (mine === this.journey) this.shown();
  }

  /** Goes on by one ply, with its motion; while one is under way, to its end. */
  async forward() {
    if (this.board.running.size) return this.board.skip();
    if (this.at >= this.plies.length) return;
    const mine = ++this.journey;
    await this.playing;
    if (mine !== this.journey) return;
    this.follows = this.at + 1 === this.plies.length;
    await this.move();
    if (mine === this.journey) this.shown();
  }

  /** Draws the ply that is looked at, and what stands beside the board. */
  shown() {
    const moved = this.at === this.reached + 1 ? this.plies[this.reached] : null;
    this.board.set(this.boardAt(this.at));
    this.board.last(this.plies[this.at - 1]);
    this.reached = this.at;
    this.listed = Math.max(this.listed, this.at);
    this.draw();
    this.allow();
    if (moved) this.tell(moved);
  }

  /** Tells a screen reader what a move did. @param {Ply} ply */
  tell(ply) {
    const mover = sideName(this.view.frame.sides[ply.side]);
    const now = this.at === this.plies.length ? this.words() : "";
    say([t("said.move", { side: mover, move: ply.move }), effects(ply), now].filter(Boolean).join(". "));
  }

  /** Lets the person move where that is possible. */
  allow() {
    const can = this.now() && this.reached === this.at && this.view.may?.includes("move") && !this.sending;
    this.board.allow(can ? (this.view.position.legal ?? []) : [], this.view.position.side);
    this.board.describe();
  }

  /** Whether the board has shown all that there is, if only once: then the panel tells how things stand now. */
  now() {
    return this.listed === this.plies.length;
  }

  /**
   * The side to move, or null where the game is over. A finished game is told as of the ply that is looked at; of one
   * that goes on, people who look back still want to know whose turn it is.
   */
  turn() {
    const { position } = this.view;
    const seen = position.outcome ? this.reached : this.listed;
    if (seen < this.plies.length) return this.plies[seen].side;
    return position.outcome ? null : position.side;
  }

  marks() {
    this.slider.max = String(this.listed);
    this.slider.value = String(this.reached);
    this.list.querySelectorAll("button").forEach((button, index) => {
      const current = index + 1 === this.reached;
      button.classList.toggle("current", current);
      if (current) {
        button.setAttribute("aria-current", "step");
        const box = this.list;
        if (
          button.offsetTop < box.scrollTop ||
          button.offsetTop + button.offsetHeight > box.scrollTop + box.clientHeight
        )
          box.scrollTop = button.offsetTop - box.clientHeight / 2;
      } else button.removeAttribute("aria-current");
    });
    const scores = this.reached ? this.plies[this.reached - 1].scores : this.view.start.scores;
    this.bars.forEach((bar, side) => {
      const place = bar.querySelector(".score");
      if (place) place.textContent = scores ? String(scores[side]) : "";
    });
  }

  /** @param {Move} move */
  async choose(move) {
    if (this.sending) return;
    this.sending = true;
    this.allow();
    await trying(async () => {
      try {
        await ask(`/api/matches/${this.view.id}/moves`, { move: move.move, ply: this.plies.length });
      } catch (error) {
        this.sending = false;
        this.allow();
        throw error;
      }
    })();
  }

  /** Says whose turn it is, or how the game ended. */
  words() {
    const { seats, frame, may, position } = this.view;
    const side = this.turn();
    if (side === null) return ending(this.view, this.plies.length);
    if (position.outcome) return t("match.turn", { side: sideName(frame.sides[side]) });
    if (seats.some(({ player }) => player === "open")) return t(may?.includes("sit") ? "match.free" : "match.waiting");
    const seat = seats[side];
    const turn = t("match.turn", { side: sideName(frame.sides[side]) });
    if (seat.you) return seats[1 - side].you ? turn : t("match.yours");
    return seat.player === "human" ? turn : t("match.thinks", { player: personName(seat.player, seat.name) });
  }

  /** Draws everything beside the board. */
  draw() {
    const { seats, frame, position } = this.view;
    const turn = this.turn();
    this.bars.forEach((bar, side) => {
      bar.classList.toggle("turn", turn === side);
      bar.classList.toggle("won", turn === null && position.outcome?.winner === side);
      bar.replaceChildren(
        sideMark(side),
        h(
          "span",
          { class: "who" },
          h(
            "strong",
            {},
            seats[side].you && !seats[1 - side].you
              ? t("player.you")
              : personName(seats[side].player, seats[side].name),
          ),
          h("small", {}, sideName(frame.sides[side])),
        ),
        h("span", { class: "score" }),
        this.clocks[side],
      );
    });
    const below = this.flipped ? 1 : 0;
    this.bottom.replaceChildren(this.bars[below]);
    this.top.replaceChildren(this.bars[1 - below]);
    this.status.textContent = this.words();
    this.status.className = turn === null ? "status over" : "status";
    this.drawList();
    this.drawActions();
    this.marks();
    this.tick();
  }

  /** Lists the moves that the board has shown; buttons stay as long as their moves do, so that none loses the focus. */
  drawList() {
    const plies = this.plies.slice(0, this.listed);
    const same = this.drawn.filter((ply, index) => plies[index] === ply).length;
    if (same < this.drawn.length) this.list.replaceChildren(...[...this.list.children].slice(0, same));
    this.list.append(...plies.slice(same).map((ply, more) => this.listing(ply, same + more)));
    this.drawn = plies;
    this.list.hidden = plies.length === 0;
  }

  /** A move in the list. @param {Ply} ply @param {number} index */
  listing(ply, index) {
    const number = h("span", { class: "no" }, String(index + 1));
    const shows = { type: "button", class: `side${ply.side}`, title: effects(ply), click: () => this.jump(index + 1) };
    return h("li", {}, h("button", shows, number, sideMark(ply.side), ply.move));
  }

  /** Offers what can be done now, once the board has shown how things stand. */
  drawActions() {
    if (!this.now() || this.offered === this.view) return;
    this.offered = this.view;
    const { seats, position, may = [], id } = this.view;
    const over = Boolean(position.outcome);
    const act = (/** @type {string} */ key, /** @type {() => unknown} */ work, kind = "quiet") =>
      h("button", { type: "button", class: kind, click: trying(work) }, t(key));
    const link = h(
      "button",
      { type: "button", class: "quiet", click: trying(() => copy(location.href)) },
      t("match.copy"),
    );
    const pass = (position.legal ?? []).find(({ cells }) => !cells?.length);
    this.actions.replaceChildren(
      ...[
        may.includes("sit") &&
          act("match.sit", () => ask(`/api/matches/${id}/seat`, {}).then(() => go(location.pathname)), "button"),
        pass &&
          may.includes("move") &&
          h("button", { type: "button", class: "button", click: () => this.choose(pass) }, t("match.pass")),
        may.includes("rematch") &&
          act(
            "match.rematch",
            () => ask(`/api/matches/${id}/rematch`, {}).then((view) => go(`/match/${view.id}`)),
            "button",
          ),
        over && h("a", { class: "quiet", href: `/analysis/${id}` }, t("match.analyse")),
        over && h("a", { class: "quiet", href: "/play" }, t("match.new")),
        may.includes("undo") && act("match.undo", () => this.undo()),
        may.includes("hint") && act("match.hint", () => this.hint()),
        may.includes("resign") && act("match.resign", () => this.resign()),
        over && h("a", { class: "quiet", href: `/api/matches/${id}/record`, download: true }, t("match.record")),
        link,
      ].filter((item) => item !== false && item !== undefined),
    );
    this.share.replaceChildren(
      ...(seats.some(({ player }) => player === "open") && !may.includes("sit")
        ? [
            h(
              "label",
              { class: "field" },
              t("match.send"),
              h("input", {
                readonly: true,
                value: location.href,
                focus: (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.target).select(),
              }),
            ),
          ]
        : []),
    );
    if (!this.view.rematch || !seats.some(({ you }) => you)) return;
    this.actions.prepend(h("a", { class: "button", href: `/match/${this.view.rematch}` }, t("match.join")));
  }

  tick() {
    const { left, running, elapsed = 0 } = this.view;
    this.clocks.forEach((clock, side) => {
      const whole = left[side];
      clock.hidden = whole === null || whole === undefined;
      if (whole === null || whole === undefined) return;
      const used = running === side ? elapsed + (performance.now() - this.arrived) / 1000 : 0;
      const now = clockText(whole - used);
      if (clock.textContent !== now) clock.textContent = now;
      clock.classList.toggle("low", whole - used < 10 && running === side);
    });
  }

  undo() {
    return ask(`/api/matches/${this.view.id}/undo`, {});
  }

  resign() {
    return confirm(t("match.resign.sure")) ? ask(`/api/matches/${this.view.id}/resign`, {}) : undefined;
  }

  async hint() {
    const version = this.view.version;
    const { move } = await ask(`/api/matches/${this.view.id}/hint`, {});
    const found = this.view.position.legal?.find((one) => one.move === move);
    if (version !== this.view.version || !found) return;
    this.board.point([{ cells: found.cells ?? [], text: move, side: this.view.position.side }]);
    say(t("said.hint", { move }));
  }

  /** Plays a finished game by itself, or stops. */
  roll() {
    clearInterval(this.autoplay);
    if (this.autoplay) return (this.autoplay = 0);
    if (this.at === this.plies.length) this.jump(0);
    this.autoplay = setInterval(() => {
      if (this.at >= this.plies.length) {
        clearInterval(this.autoplay);
        this.autoplay = 0;
      } else if (!this.board.running.size) this.forward();
    }, 900);
    return this.autoplay;
  }

  /** Space: the best move where one may ask for it and play it; else the game goes on by itself. */
  best() {
    const { may = [], position } = this.view;
    if (this.at !== this.plies.length || position.outcome) return this.roll();
    if (!may.includes("hint")) return undefined;
    return trying(async () => {
      const version = this.view.version;
      const { move } = await ask(`/api/matches/${this.view.id}/hint`, {});
      if (version === this.view.version) await this.choose({ move });
    })();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const target = event.target;
    if (
      target instanceof HTMLInputElement ||
      target instanceof HTMLSelectElement ||
      target instanceof HTMLTextAreaElement
    )
      return;
    const pressed = target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement;
    const { may = [] } = this.view;
    const work = {
      ArrowLeft: () => this.jump(this.at - 1),
      ArrowRight: () => this.forward(),
      Home: () => this.jump(0),
      End: () => this.jump(this.plies.length),
      " ": () => !pressed && this.best(),
      f: () => ((this.flipped = !this.flipped), this.draw()),
      u: () => may.includes("undo") && trying(() => this.undo())(),
      h: () => may.includes("hint") && trying(() => this.hint())(),
    }[event.key];
    if (!work || (event.key === " " && pressed)) return;
    event.preventDefault();
    work();
  }
}

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, [id]) {
  /** @type {View} */
  const view = await ask(`/api/matches/${encodeURIComponent(id)}`);
  const page = new MatchPage(main, view, await lookOf(view.frame.game));
  return () => page.leave();
}
