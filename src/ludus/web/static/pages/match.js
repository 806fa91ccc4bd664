// A match: play it, watch it live, or replay it. Shows the server's state and sends the person's moves.

import { Board } from "../board.js";
import { button, confirmButton, copyField, field } from "../components.js";
import { Guide } from "../guide.js";
import { lessonDetails } from "../lesson.js";
import { loadLook } from "../look.js";
import {
  announce,
  ask,
  copy,
  gameName,
  gap,
  go,
  h,
  handler,
  icon,
  joinFacts,
  levelOf,
  loadServerWords,
  personName,
  say,
  sideName,
  storage,
  t,
  toast,
} from "../page.js";
import { notify, notifyButton } from "../notify.js";
import { profileAddress } from "../people/lists.js";
import { offerButtons, offerNotice } from "../people/offers.js";
import { MoveList, Seats, boardAfter, describeMove, moveSentence, runKey, stepButtons } from "../replay.js";
import { clockName } from "../setup.js";
import { playSound, sounds } from "../sound.js";

/** @import { Frame, Message, Move, Ply, Position } from "../page.js" */
/** @import { Look } from "../board.js" */
/**
 * @typedef {{ player: string, name?: string, you?: boolean, away?: boolean | null, rating?: number, change?: number
 *   }} Seat
 */
/**
 * @typedef {{ id: string, version: number, since?: number, frame: Frame, seats: [Seat, Seat], clock: string, left:
 *   [number | null, number | null], running?: number | null, elapsed?: number, plies?: Ply[], start: Position,
 *   position: Position, may?: string[], rematch?: string, rated?: boolean, offer?: { what: string, side: number },
 *   ending?: Message }} View
 */

const RETRY_MS = 2000;

/** @param {number} seconds */
function clockText(seconds) {
  const left = Math.max(0, seconds);
  if (left < 10) return left.toFixed(1);
  return `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, "0")}`;
}

/** Says whether a person has the match open. @param {boolean | null} [away] unknown for others */
const presence = (away) => away !== undefined && away !== null && t(away ? "seat.away" : "seat.here");

/** Returns the name of a player; that of a person leads to the profile. @param {Seat} seat */
function seatName({ player, name }) {
  const words = personName(player, name);
  return player === "human" && name ? h("a.profile", { href: profileAddress(name) }, words) : words;
}

/** Returns the rating of a player of a rated game, and what the game has changed in it. @param {Seat} seat */
function ratingOf({ rating, change }) {
  if (rating === undefined) return null;
  const signed = change === undefined ? "" : `${change < 0 ? "−" : "+"}${Math.abs(change)}`;
  const kind = (change ?? 0) < 0 ? "down" : "up";
  return h("span.elo", { title: t("match.rating") }, ` ${rating} `, signed && h("b", { class: kind }, signed));
}

/** Returns a button that turns sounds on and off. */
function soundButton() {
  const show = () => {
    button.setAttribute("aria-pressed", String(sounds.on));
    button.replaceChildren(icon(sounds.on ? "loud" : "still"));
  };
  const button = h("button.quiet.sound", {
    "aria-label": t("match.sound"),
    title: t("match.sound"),
    click: () => ((sounds.on = !sounds.on), show()),
  });
  show();
  return button;
}

class MatchPage {
  /** @param {HTMLElement} main @param {View} view @param {Look} look */
  constructor(main, view, look) {
    this.view = view;
    /** @type {Ply[]} */
    this.plies = [...(view.plies ?? [])];
    /** The ply that the board is going to. */
    this.at = this.plies.length;
    /** The ply that the board shows: the panel is never ahead of it. */
    this.reached = this.at;
    /** How many plies are listed: all that the board has shown at least once. */
    this.listed = this.at;
    this.flipped = view.seats[1].you === true && !view.seats[0].you;
    this.arrived = performance.now();
    /** Whether the board follows new moves. */
    this.following = true;
    /** Counts navigations: one that is overtaken by another ends. */
    this.navigation = 0;
    /** The view that the action buttons were drawn for. @type {View | undefined} */
    this.actionsOf = undefined;
    /** @type {Promise<void>} */
    this.playing = Promise.resolve();
    this.sending = false;
    this.wasYourTurn = false;
    const level = view.seats.some(({ you }) => you) && view.seats.map(({ player }) => levelOf(player)).find(Boolean);
    if (level) storage.write(`level.${view.frame.game}`, String(level));
    this.autoplay = 0;
    this.left = false;
    this.retry = 0;
    /** @type {EventSource | undefined} */
    this.turning = undefined;
    const name = (this.name = gameName(view.frame.game, view.frame.title));
    this.board = new Board(view.frame, look, {
      label: t("board.label", { game: name }),
      chosen: (move) => this.sendMove(move),
    });
    this.board.onStep = playSound;
    this.board.onPreview = (move) => this.preview(move);
    this.seats = new Seats();
    this.clocks = [h("span.clock"), h("span.clock")];
    this.status = h("p.status");
    /** What the last move was, where it leaves nothing on the board that could be marked. */
    this.told = h("p.dim", { hidden: !view.start.scores });
    /** Why the engine would play the move that it suggests. */
    this.advice = h("p.advice", { hidden: true });
    this.list = new MoveList((ply) => this.jump(ply));
    this.slider = h("input", {
      type: "range",
      min: 0,
      value: this.at,
      "aria-label": t("match.slider"),
      input: () => this.jump(Number(this.slider.value)),
    });
    this.actions = h("div.actions");
    this.resign = confirmButton(
      "match.resign",
      () => t("match.resign.sure"),
      () => ask(`/api/matches/${this.view.id}/resign`, {}),
    );
    this.share = h("div.share");
    this.bell = h("span", view.seats.some(({ you }) => you) && notifyButton());
    /** Why the person lost, where they asked. */
    this.why = h("div.decided", { hidden: true, tabindex: -1 });
    this.guide = new Guide(view.frame, this.board);
    this.over = new AbortController();
    this.build(main, name);
    this.showPly();
    this.ticking = setInterval(() => this.drawClocks(), 100);
    this.keys = (/** @type {KeyboardEvent} */ event) => this.key(event);
    document.addEventListener("keydown", this.keys);
    this.source = this.listen();
  }

  /** Puts the parts of the page together. @param {HTMLElement} main @param {string} name of the game */
  build(main, name) {
    const { frame, clock, rated } = this.view;
    const facts = joinFacts(`${frame.rows}×${frame.cols}`, clockName(clock), rated && t("match.rated"));
    const steps = stepButtons((step) => t(`match.${step}`), {
      first: () => this.jump(0),
      back: () => this.jump(this.at - 1),
      next: () => this.forward(),
      last: () => this.jump(this.plies.length),
    });
    const table = h("section.table", { "aria-label": name }, this.seats.top, this.board.element, this.seats.bottom);
    this.board.shape(table);
    main.className = "match";
    main.append(
      h("h1.unseen", name),
      table,
      h(
        "aside.panel",
        h("div.what", h("div.name", h("strong", name), h("span.dim", facts)), this.bell, soundButton()),
        this.status,
        this.told,
        this.advice,
        this.guide.element,
        this.share,
        this.actions,
        this.why,
        this.list.element,
        h("div.replay", h("div.steps", { role: "group", "aria-label": t("match.replay") }, ...steps), this.slider),
        lessonDetails(frame, this.over.signal),
      ),
    );
  }

  /** Follows the match; a stream that the server refuses for a while is opened again. */
  listen() {
    const source = new EventSource(`/api/matches/${this.view.id}/events?seen=${this.view.version}`);
    source.onmessage = (event) => this.update(JSON.parse(event.data));
    source.onerror = () => {
      dispatchEvent(new Event("unreachable"));
      if (source.readyState === EventSource.CLOSED && !this.left)
        this.retry = setTimeout(() => (this.source = this.listen()), RETRY_MS);
    };
    return source;
  }

  leave() {
    this.left = true;
    this.over.abort();
    clearTimeout(this.retry);
    this.source.close();
    this.turning?.close();
    clearInterval(this.ticking);
    clearInterval(this.autoplay);
    document.removeEventListener("keydown", this.keys);
  }

  /** Takes a change of the match. @param {View} view */
  update(view) {
    const ends = !this.view.position.outcome && Boolean(view.position.outcome);
    const offered = this.view.offer;
    this.view = view;
    this.arrived = performance.now();
    this.sending = false;
    const kept = view.since ?? 0;
    const cut = this.at > kept && kept < this.plies.length;
    this.plies.length = Math.min(this.plies.length, kept);
    this.plies.push(...(view.plies ?? []));
    this.board.suggest([]);
    this.advice.hidden = true;
    if (ends && view.plies === undefined) announce(say(view.ending)); // else with the last move
    if (view.offer && !offered && view.may?.includes("answer")) announce(t(`offer.${view.offer.what}.asked`));
    if (cut) this.at = kept;
    if (cut) this.board.skip();
    this.reached = Math.min(this.reached, kept);
    this.listed = this.following || cut ? Math.min(this.listed, kept) : this.plies.length;
    if (this.following || cut) this.catchUp();
    else {
      this.draw();
      if (ends) toast(say(view.ending)); // the panel shows it only at the last move
    }
  }

  /** Animates the new moves, one after another. */
  async catchUp() {
    const mine = ++this.navigation;
    this.following = true;
    await this.playing;
    if (mine !== this.navigation) return;
    if (this.plies.length - this.at > 3) this.at = this.plies.length - 1;
    this.showPly();
    while (mine === this.navigation && this.at < this.plies.length) {
      await this.showNextMove();
      if (mine === this.navigation) this.showPly();
    }
  }

  /** Animates the next move; the panel waits for it. */
  async showNextMove() {
    this.board.set(this.boardData());
    const ply = this.plies[this.at++];
    this.allow();
    await (this.playing = this.board.play(ply));
  }

  /** Returns the board at the ply that is shown. */
  boardData() {
    return boardAfter(this.plies.slice(0, this.at), this.view.start.board);
  }

  /** Jumps to a ply. @param {number} at */
  async jump(at) {
    const mine = ++this.navigation;
    this.at = Math.max(0, Math.min(this.plies.length, at));
    this.following = this.at === this.plies.length;
    this.board.skip();
    await this.playing;
    if (mine === this.navigation) this.showPly();
  }

  /** Plays the next ply; during an animation, ends it. */
  async forward() {
    if (this.board.running.size) return this.board.skip();
    if (this.at >= this.plies.length) return;
    const mine = ++this.navigation;
    await this.playing;
    if (mine !== this.navigation) return;
    this.following = this.at + 1 === this.plies.length;
    await this.showNextMove();
    if (mine === this.navigation) this.showPly();
  }

  /** Draws the current ply and the panel. */
  showPly() {
    const moved = this.at === this.reached + 1 ? this.plies[this.reached] : null;
    this.board.set(this.boardData());
    this.board.markLast(this.plies[this.at - 1]);
    this.reached = this.at;
    this.listed = Math.max(this.listed, this.at);
    this.draw();
    this.allow();
    if (moved) this.announceMove(moved);
  }

  /** Announces a move to screen readers. @param {Ply} ply */
  announceMove(ply) {
    const now = this.at === this.plies.length ? this.statusText() : "";
    announce(moveSentence(ply, sideName(this.view.frame.sides[ply.side]), now));
  }

  /** Makes the legal moves clickable if the person may move. */
  allow() {
    const can = this.isCaughtUp() && this.reached === this.at && this.view.may?.includes("move") && !this.sending;
    this.board.allow(can ? (this.view.position.legal ?? []) : [], this.view.position.side);
    this.guide.show(can === true, this.plies.filter(({ side }) => this.view.seats[side].you).length);
  }

  /** Returns whether the board has shown every move at least once: then the panel shows the current state. */
  isCaughtUp() {
    return this.listed === this.plies.length;
  }

  /**
   * Returns the side to move, or null if the game is over. In a finished game it is that of the ply on the board; in a
   * running one it is that of the newest ply, also for someone who looks back.
   */
  sideToMove() {
    const { position } = this.view;
    const shown = position.outcome ? this.reached : this.listed;
    if (shown < this.plies.length) return this.plies[shown].side;
    return position.outcome ? null : position.side;
  }

  /** Says that a second tap plays the move. @param {Move} [move] */
  preview(move) {
    const points = move?.points ? `${t("rules.points", { n: move.points })}. ` : "";
    this.status.textContent = move ? `${points}${t("match.tap")}` : this.statusText();
    if (move) announce(this.status.textContent);
  }

  /** @param {Move} move */
  async sendMove(move) {
    if (this.sending) return;
    this.sending = true;
    this.allow();
    await handler(async () => {
      try {
        await ask(`/api/matches/${this.view.id}/moves`, { move: move.move, ply: this.plies.length });
      } catch (error) {
        this.sending = false;
        this.allow();
        throw error;
      }
    })();
  }

  /** Returns whose turn it is, or how the game ended. */
  statusText() {
    const { seats, frame, may, position } = this.view;
    const side = this.sideToMove();
    if (side === null) return say(this.view.ending);
    if (position.outcome) return t("match.turn", { side: sideName(frame.sides[side]) });
    if (seats.some(({ player }) => player === "open")) return t(may?.includes("sit") ? "match.free" : "match.waiting");
    const seat = seats[side];
    const turn = t("match.turn", { side: sideName(frame.sides[side]) });
    if (seat.you) return seats[1 - side].you ? turn : t("match.yours");
    return seat.player === "human" ? turn : t("match.thinks", { player: personName(seat.player, seat.name) });
  }

  /** Returns whether the other one waits for the person. */
  isYourTurn() {
    const { seats, position } = this.view;
    const ready = seats.every(({ player }) => player !== "open");
    const side = this.sideToMove();
    return side !== null && !position.outcome && ready && Boolean(seats[side].you) && !seats[1 - side].you;
  }

  /** Says in the title of the page, and perhaps in a notification, that it is the person's turn. */
  tellTurn() {
    const yours = this.isYourTurn();
    document.title = [yours && t("match.yours"), this.name, "Ludus"].filter(Boolean).join(" · ");
    if (yours && !this.wasYourTurn && this.plies.length) notify(t("match.yours"), this.name, this.view.id);
    this.wasYourTurn = yours;
  }

  /** Draws the seats and the panel. */
  draw() {
    const { seats, frame, position, start } = this.view;
    const turn = this.sideToMove();
    const winner = turn === null ? position.outcome?.winner : null;
    const last = this.plies[this.reached - 1];
    const scores = last ? last.scores : start.scores;
    const players = seats.map((seat, side) => ({
      name: seat.you && !seats[1 - side].you ? t("player.you") : seatName(seat),
      detail: joinFacts(sideName(frame.sides[side]), !seat.you && presence(seat.away)),
      rating: ratingOf(seat),
      more: this.clocks[side],
    }));
    this.seats.show({ turn, winner, flipped: this.flipped, scores }, players);
    this.status.textContent = this.statusText();
    const who = last && sideName(frame.sides[last.side]);
    this.told.textContent =
      last && turn !== null ? joinFacts(t("announce.move", { side: who, move: last.move }), describeMove(last)) : "";
    this.tellTurn();
    this.bell.hidden = Boolean(position.outcome);
    this.status.className = turn === null ? "status over" : "status";
    this.list.show(this.plies.slice(0, this.listed)); // the moves that the board has shown
    this.list.select(this.reached - 1);
    this.slider.max = String(this.listed);
    this.slider.value = String(this.reached);
    this.drawActions();
    this.drawClocks();
  }

  /** Draws the buttons for what can be done now, once the board has shown every move. */
  drawActions() {
    if (!this.isCaughtUp() || this.actionsOf === this.view) return;
    this.actionsOf = this.view;
    const { seats, position, may = [], id } = this.view;
    const over = Boolean(position.outcome);
    const pass = (position.legal ?? []).find(({ cells }) => !cells?.length);
    const sit = async () => (await ask(`/api/matches/${id}/seat`, {}), go(location.pathname));
    const rematch = async () => go(`/match/${(await ask(`/api/matches/${id}/rematch`, {})).id}`);
    const joins = this.view.rematch && seats.some(({ you }) => you);
    const actions = [
      joins && h("a.button", { href: `/match/${this.view.rematch}` }, t("match.join")),
      may.includes("sit") && button("match.sit", sit, "button"),
      pass && may.includes("move") && button("match.pass", () => this.sendMove(pass), "button"),
      may.includes("rematch") && button("match.rematch", rematch, "button"),
      over && h("a.quiet", { href: `/analysis/${id}` }, t("match.analyse")),
      over && this.hasLost() && this.why.hidden && button("match.why", () => this.showWhy()),
      this.nextLevelButton(),
      over && h("a.quiet", { href: "/play" }, t("match.new")),
      may.includes("undo") && button("match.undo", () => this.undo()),
      may.includes("hint") && button("match.hint", () => this.hint()),
      ...offerButtons(this.view),
      may.includes("resign") && this.resign,
      button("match.share", () => this.showShare()),
    ];
    const held = this.actions.contains(document.activeElement) && document.activeElement?.textContent;
    this.actions.replaceChildren(...actions.filter((action) => action instanceof Node));
    const buttons = /** @type {NodeListOf<HTMLElement>} */ (this.actions.querySelectorAll("a, button"));
    if (held) [...buttons].find(({ textContent }) => textContent === held)?.focus();
    const invites = seats.some(({ player }) => player === "open") && !may.includes("sit");
    const link = invites
      ? [field(t("match.send"), copyField(location.href)), button("bots.copy", () => copy(location.href))]
      : [];
    this.share.replaceChildren(...link, ...offerNotice(this.view));
  }

  /** Returns whether the person has played one side and lost by the moves: a clock that ran out explains itself. */
  hasLost() {
    const { seats, position } = this.view;
    const { winner = null, reason = "" } = position.outcome ?? {};
    if (winner === null || reason === "timeout" || this.plies.length < 2) return false;
    return seats[1 - winner].you === true && !seats[winner].you;
  }

  /** Shows the move that decided the game. */
  async showWhy() {
    const { showTurningPoint } = await import("../analysis/turning.js");
    this.why.hidden = false;
    this.actionsOf = undefined;
    this.drawActions();
    this.why.focus(); // the button is gone
    this.turning = await showTurningPoint(this.why, this.view.id, (ply) => this.jump(ply));
    if (this.left) this.turning.close();
  }

  /** Returns a button that plays a harder level of the engine after a win, or an easier one after a loss. */
  nextLevelButton() {
    const { seats, frame, position, clock } = this.view;
    const side = seats.findIndex(({ you }) => you);
    const winner = position.outcome?.winner ?? null;
    const level = levelOf(seats[1 - side]?.player ?? "");
    if (winner === null || !level) return null;
    const n = level + (winner === side ? 1 : -1);
    if (n < 1 || n > 10) return null;
    const players = seats.map(({ you }) => (you ? "human" : `engine:level=${n}`));
    const { game, options } = frame;
    const start = async () => go(`/match/${(await ask("/api/matches", { game, options, seats: players, clock })).id}`);
    return h("button.quiet", { click: handler(start) }, t("match.level", { n }));
  }

  /** Shows the ways to share the game and the position on the board. */
  async showShare() {
    const { id } = this.view;
    const { showShare } = await import("../share.js");
    await showShare({
      link: `/match/${id}`,
      text: this.at === this.plies.length ? this.view.position.text : undefined,
      record: `/api/matches/${id}/record`,
      png: `/api/matches/${id}/picture.png?ply=${this.at}`,
      gif: `/api/matches/${id}/animation.gif`,
      embed: `/embed/match/${id}`,
    });
  }

  drawClocks() {
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

  async hint() {
    const version = this.view.version;
    const [{ move, why }] = await Promise.all([ask(`/api/matches/${this.view.id}/hint`, {}), loadServerWords()]);
    const found = this.view.position.legal?.find((one) => one.move === move);
    if (version !== this.view.version || !found) return;
    this.board.suggest([{ cells: found.cells ?? [], text: move, side: this.view.position.side }]);
    this.advice.textContent = why.map((/** @type {Message} */ reason) => say(reason)).join(gap());
    this.advice.hidden = !why.length;
    announce(`${t("announce.hint", { move })}. ${this.advice.textContent}`);
  }

  /** Starts or stops the automatic replay. */
  toggleAutoplay() {
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

  /** @param {KeyboardEvent} event */
  key(event) {
    const { may = [] } = this.view;
    runKey(event, {
      ArrowLeft: () => this.jump(this.at - 1),
      ArrowRight: () => this.forward(),
      Home: () => this.jump(0),
      End: () => this.jump(this.plies.length),
      ...(this.view.position.outcome && { " ": () => this.toggleAutoplay() }),
      f: () => ((this.flipped = !this.flipped), this.draw()),
      u: () => may.includes("undo") && handler(() => this.undo())(),
      h: () => may.includes("hint") && handler(() => this.hint())(),
    });
  }
}

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, [id]) {
  /** @type {View} */
  const view = await ask(`/api/matches/${encodeURIComponent(id)}`);
  const page = new MatchPage(main, view, await loadLook(view.frame.game));
  return () => page.leave();
}
