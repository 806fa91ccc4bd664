// Bots: one's own list, uploads, and the page of a bot with versions, check results, games and rating. Runs nothing.

import {
  RequestError,
  ask,
  copy,
  gameName,
  go,
  h,
  handler,
  limits,
  loadAssets,
  personName,
  say,
  signedIn,
  storage,
  svg,
  t,
  tCount,
  tOr,
  toast,
} from "../page.js";
import { Panel, listen, select } from "../components.js";

/**
 * @typedef {{ id: number, player: string, name: string, game: string, owner: string | null, mine: boolean, public:
 *   boolean, entered: boolean, version: number | null, newest: number | null, state: string | null, rank: number | null
 *   }} BotLine
 */
/**
 * @typedef {{ number: number, state: string, protocol: string, language: string, created: string, faults: number,
 *   warnings: number }} VersionLine
 */
/** @typedef {{ elo: number, low: number, high: number, games: number }} Rating */
/** @typedef {{ player: string, name?: string | null }} Player */
/**
 * @typedef {{ id: string, game: string, challenger: Player, defender: Player, rated: boolean, state: string, score:
 *   [number, number] | null, ranks: Record<string, [number | null, number | null]> | null, created: string }}
 *   ChallengeLine
 */
/**
 * @typedef {BotLine & { versions: VersionLine[], challenges: ChallengeLine[], history: { at: string, version: number,
 *   rating: Rating }[], rating: Rating | null, sees: string[] }} Bot
 */
/** @typedef {import("../page.js").Message} Message */
/**
 * @typedef {{ verdict: string, text: string, message?: Message, shows: string, command: string, log: string }} Finding
 */
/**
 * @typedef {VersionLine & { clock: string | null, games: number, slowest: number | null, findings: Finding[],
 *   histogram: { low: number, high: number, moves: number }[], log: string }} Version
 */

const LANGUAGES = { python: "bot.py", cpp: "bot.cpp", c: "bot.c", java: "Bot.java", javascript: "bot.js" };
const PROTOCOLS = ["lines", "ugi", "files", "class", "python"];
const MARKS = { ok: "✓", warning: "!", reject: "✗" };

/** @param {string} moment */
export function shortDateTime(moment) {
  return new Date(moment).toLocaleString(document.documentElement.lang, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  });
}

/** @param {number} value */
export const scoreText = (value) => (Number.isInteger(value) ? String(value) : `${Math.floor(value) || ""}½`);

/** Returns a challenge as a list item. @param {ChallengeLine} one @param {boolean} [game] whether to name the game */
export function challengeRow(one, game = false) {
  const { challenger, defender, score, ranks } = one;
  const moved = ranks?.[challenger.player];
  const climbs =
    moved && moved[0] !== moved[1] ? t("bots.rank.moved", { from: moved[0] ?? "–", to: moved[1] ?? "–" }) : "";
  return h(
    "li",
    h(
      "a",
      { href: `/challenge/${one.id}` },
      h(
        "span.pair-names",
        h("strong", personName(challenger.player, challenger.name)),
        h("span.result", score ? `${scoreText(score[0])} : ${scoreText(score[1])}` : "–"),
        h("strong", personName(defender.player, defender.name)),
      ),
      h(
        "span.dim",
        [
          game && gameName(one.game, one.game),
          one.rated ? t("bots.rated") : t("bots.unrated"),
          climbs ||
            (one.state === "open"
              ? t("bots.running")
              : one.state === "failed"
                ? t("bots.stopped")
                : shortDateTime(one.created)),
        ]
          .filter(Boolean)
          .join(" · "),
      ),
    ),
  );
}

/** @param {string | null} state */
function badge(state) {
  return h("span", { class: `badge ${state ?? "none"}` }, t(`bots.state.${state ?? "none"}`));
}

/** @param {File | Blob} file @returns {Promise<string>} */
function base64(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
}

/**
 * Returns the dropped files, with those in dropped folders.
 * @param {DataTransfer} dropped @returns {Promise<[string, File][]>}
 */
async function droppedFiles(dropped) {
  /** @type {[string, File][]} */
  const found = [];
  /** @param {FileSystemEntry | null} entry */
  async function walk(entry) {
    if (entry?.isFile) {
      const file = await new Promise((done, failed) => /** @type {FileSystemFileEntry} */ (entry).file(done, failed));
      found.push([entry.fullPath.replace(/^\//, ""), file]);
    } else if (entry?.isDirectory) {
      const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
      for (;;) {
        /** @type {FileSystemEntry[]} */
        const some = await new Promise((done, failed) => reader.readEntries(done, failed));
        if (!some.length) return;
        for (const one of some) await walk(one);
      }
    }
  }
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (entries.every((entry) => entry === null)) return [...dropped.files].map((file) => [file.name, file]);
  for (const entry of entries) await walk(entry);
  return found;
}

/**
 * Returns the form to upload a bot or a new version of one.
 * @param {{ title: string, name: string }[]} games those to choose from; none for a version of a bot
 * @param {(upload: Record<string, unknown>) => Promise<void>} send
 */
function uploadForm(games, send) {
  /** @type {[string, File][]} */
  let chosen = [];
  const list = h("p.chosen", { role: "status" });
  const trouble = h("p.trouble", { role: "alert" });
  const code = h("textarea", {
    name: "code",
    rows: 10,
    spellcheck: "false",
    "aria-label": t("bots.paste.code"),
    input: () => showChosen(),
  });
  const button = h("button.button.large", { type: "submit", disabled: true }, t("bots.send"));

  /** @param {[string, File][]} files */
  function setFiles(files) {
    chosen = files;
    showChosen();
    checkSize().catch(() => {});
  }
  /** Returns whether the upload is small enough, and says so if it is not. @returns {Promise<boolean>} */
  async function checkSize() {
    const files = chosen;
    const bytes = files.length ? files.reduce((sum, [, file]) => sum + file.size, 0) : new Blob([code.value]).size;
    const { bot } = await limits();
    if (files === chosen) trouble.textContent = bytes > bot ? t("bots.large", { mb: bot / (1 << 20) }) : "";
    return bytes <= bot;
  }
  function showChosen() {
    const names = chosen.map(([name]) => name);
    list.textContent = names.length
      ? names.slice(0, 4).join(t("comma")) + (names.length > 4 ? ` ${t("bots.more", { n: names.length - 4 })}` : "")
      : "";
    button.disabled = !names.length && !code.value.trim();
  }
  /** @param {Record<string, any>} more */
  const picker = (more) =>
    h("input.unseen", {
      type: "file",
      change: (/** @type {Event} */ event) => {
        const files = /** @type {HTMLInputElement} */ (event.target).files ?? [];
        setFiles(Array.from(files, (file) => [file.webkitRelativePath || file.name, file]));
      },
      ...more,
    });
  const zone = h(
    "div.drop",
    {
      dragover: (/** @type {DragEvent} */ event) => (event.preventDefault(), zone.classList.add("over")),
      dragleave: () => zone.classList.remove("over"),
      drop: async (/** @type {DragEvent} */ event) => {
        event.preventDefault();
        zone.classList.remove("over");
        if (event.dataTransfer) setFiles(await droppedFiles(event.dataTransfer));
      },
    },
    h("p", h("strong", t("bots.drop"))),
    h(
      "div.row",
      h("label.quiet", t("bots.choose.files"), picker({ multiple: true, name: "files" })),
      h("label.quiet", t("bots.choose.folder"), picker({ webkitdirectory: true, name: "folder" })),
    ),
    list,
  );
  const form = h(
    "form.upload",
    { submit: submit },
    zone,
    h(
      "details.more",
      h("summary", t("bots.paste")),
      h(
        "div.pasted",
        h(
          "label.field",
          t("bots.language"),
          select(
            Object.keys(LANGUAGES).map((one) => [one, tOr(`language.${one}`, one)]),
            "",
            { name: "language" },
          ),
        ),
        code,
      ),
    ),
    h(
      "div.fields",
      games.length > 0 &&
        h(
          "label.field",
          t("bots.name"),
          h("input", { name: "name", maxlength: 32, autocomplete: "off", placeholder: t("bots.name.own") }),
        ),
      games.length > 0 &&
        h(
          "label.field",
          t("bots.game"),
          select(
            [
              ["", t("bots.game.own")],
              ...games.map(({ name, title }) => /** @type {[string, string]} */ ([name, gameName(name, title)])),
            ],
            "",
            { name: "game" },
          ),
        ),
      h(
        "label.field",
        t("bots.protocol"),
        select(
          [["", t("bots.protocol.own")], ...PROTOCOLS.map((one) => /** @type {[string, string]} */ ([one, one]))],
          "",
          { name: "protocol" },
        ),
      ),
    ),
    trouble,
    button,
  );

  /** Marks and focuses a field that must be filled in or changed. @param {HTMLElement} field */
  function markInvalid(field) {
    field.setAttribute("aria-invalid", "true");
    field.addEventListener("input", () => field.removeAttribute("aria-invalid"), { once: true });
    field.focus();
  }

  /** @param {Event} event */
  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    try {
      if (!(await checkSize())) return;
      const { name, game, protocol, language } = /** @type {Record<string, string>} */ (
        Object.fromEntries(new FormData(form))
      );
      const files = chosen.length
        ? await Promise.all(chosen.map(async ([path, file]) => ({ name: path, data: await base64(file) })))
        : [{ name: LANGUAGES[/** @type {keyof typeof LANGUAGES} */ (language)], text: code.value }];
      await send({ files, name: name || null, game: game || null, protocol: protocol || null });
      form.reset();
      setFiles([]);
    } catch (error) {
      trouble.textContent = error instanceof Error ? error.message : t("offline");
      const field = error instanceof RequestError ? form.elements.namedItem(error.field) : null;
      if (field instanceof HTMLElement) markInvalid(field);
    } finally {
      showChosen();
    }
  }
  return form;
}

/** Returns the list of starter bots to download. @param {{ title: string, name: string }[]} games */
function starters(games) {
  return h(
    "section.part.starters",
    h("h2", t("bots.starters")),
    h("p.dim", t("bots.starters.about")),
    h(
      "ul",
      ...games.map(({ name, title }) =>
        h(
          "li",
          h("strong", gameName(name, title)),
          h(
            "span.row",
            ...["python", "cpp", "java", "javascript"].map((one) =>
              h(
                "a.link",
                {
                  href: `/api/starters/${name}/${one}`,
                  download: true,
                  "aria-label": t("bots.starter.label", {
                    game: gameName(name, title),
                    language: tOr(`language.${one}`, one),
                  }),
                },
                tOr(`language.${one}`, one),
              ),
            ),
          ),
        ),
      ),
    ),
    h("p.dim", t("bots.submit"), " ", h("code", "ludus submit mybot/")),
  );
}

/** @param {HTMLElement} main */
async function showList(main) {
  document.title = `${t("bots.title")} · Ludus`;
  const [games, mine, me] = await Promise.all([
    ask("/api/games"),
    signedIn() ? ask("/api/bots").catch(() => null) : null,
    ask("/api/account"),
  ]);
  const teaches = ["instructor", "admin"].includes(me.role);
  const others = teaches ? (await ask("/api/bots/all")).filter((/** @type {BotLine} */ bot) => !bot.mine) : [];
  main.append(h("h1", t("bots.title")));
  if (mine === null) {
    main.append(
      h(
        "div.columns",
        h(
          "section.part",
          h("h2", t("bots.guest")),
          h("p", t("bots.guest.how")),
          h("ol.how", ...["bots.how.1", "bots.how.2", "bots.how.3"].map((key) => h("li", t(key)))),
          h(
            "div.row",
            h("a.button", { href: "/account?next=/bots" }, t("bots.sign-in")),
            h("a.link", { href: "/ladder" }, t("bots.ladders")),
          ),
        ),
        starters(games),
      ),
    );
    return;
  }
  const form = uploadForm(games, async (upload) => {
    const made = await ask("/api/bots", upload);
    storage.write("game", made.game);
    go(`/bots/${made.id}`);
    const found = games.find((/** @type {{ name: string }} */ one) => one.name === made.game);
    if (!upload.game)
      toast(t("bots.detected", { name: made.name, game: gameName(made.game, found?.title ?? made.game) }));
  });
  main.append(
    mine.length
      ? h("ul.bot-list", ...mine.map((/** @type {BotLine} */ bot) => botRow(bot)))
      : h("p.lead", t("bots.empty")),
    h("div.columns", h("section.part", h("h2", t("bots.new")), form), starters(games)),
  );
  if (others.length)
    main.append(
      h(
        "section.others",
        h("h2", t("bots.others")),
        h("ul.bot-list", ...others.map((/** @type {BotLine} */ bot) => botRow(bot))),
      ),
    );
}

/** @param {BotLine} bot */
function botRow(bot) {
  return h(
    "li",
    h(
      "a",
      { href: `/bots/${bot.id}` },
      h("strong", bot.name),
      h("span", gameName(bot.game, bot.game)),
      h(
        "span.dim",
        [
          !bot.mine && bot.owner,
          bot.newest && t("bots.version", { n: bot.newest }),
          bot.entered ? t("bots.on-ladder") : bot.public ? t("bots.public") : t("bots.private"),
        ]
          .filter(Boolean)
          .join(" · "),
      ),
      badge(bot.state),
    ),
  );
}

/** Returns a histogram of the times of moves. @param {Version} version */
function histogram({ histogram: steps, clock }) {
  const most = Math.max(1, ...steps.map(({ moves }) => moves));
  const text = (/** @type {number} */ seconds) =>
    seconds < 0.001 ? "0" : seconds < 1 ? `${+(seconds * 1000).toPrecision(2)} ms` : `${+seconds.toPrecision(2)} s`;
  return h(
    "figure.times",
    h("figcaption", t("bots.times", { clock: clock ?? "" })),
    h(
      "ol",
      ...steps.map(({ low, high, moves }) =>
        h(
          "li",
          h("span", `${text(low)} – ${text(high)}`),
          svg(
            "svg",
            { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
            svg("rect", { width: (100 * moves) / most, height: 10, rx: 2 }),
          ),
          h("span.n", String(moves)),
        ),
      ),
    ),
  );
}

/** Returns the results of a check. @param {Bot} bot @param {Version} version */
function checkResults(bot, version) {
  const order = { reject: 0, warning: 1, ok: 2 };
  const rank = (/** @type {Finding} */ finding) => order[/** @type {keyof typeof order} */ (finding.verdict)] ?? 2;
  const found = [...version.findings].sort((one, other) => rank(one) - rank(other));
  const owner = bot.sees.includes("logs");
  return [
    h(
      "p",
      { class: `verdict ${version.state}` },
      version.state === "failed" ? tCount("check.problems", version.faults) : t("check.ready"),
    ),
    h(
      "ul.findings",
      ...found.map(({ verdict, text, message, shows, command, log }) =>
        h(
          "li",
          { class: verdict },
          h(
            "span.sign-mark",
            { role: "img", "aria-label": t(`bots.finding.${verdict}`) },
            MARKS[/** @type {keyof typeof MARKS} */ (verdict)] ?? "·",
          ),
          h(
            "div",
            h("p", say(message, text)),
            verdict !== "ok" && shows && h("p.dim", t("bots.shows"), " ", h("code", shows)),
            verdict !== "ok" &&
              command &&
              h(
                "p.command",
                h("span.dim", t("bots.see")),
                h("code", command),
                h("button.quiet", { click: () => copy(command, t("bots.copied")) }, t("bots.copy")),
              ),
            verdict !== "ok" && log && h("details", h("summary", t("bots.said")), h("pre", { tabindex: 0 }, log)),
          ),
        ),
      ),
    ),
    version.histogram.length > 0 && histogram(version),
    owner && version.log && h("details.log", h("summary", t("bots.build")), h("pre", { tabindex: 0 }, version.log)),
    owner &&
      h(
        "p.row.downloads",
        h(
          "a.link",
          { href: `/api/bots/${bot.id}/versions/${version.number}/log`, download: true },
          t("bots.download.log"),
        ),
        h(
          "a.link",
          { href: `/api/bots/${bot.id}/versions/${version.number}/files`, download: true },
          t("bots.download.files"),
        ),
      ),
  ];
}

/** The PDF report of a version: its state, and buttons to make or download it. */
class ReportPanel {
  /** @param {number} bot */
  constructor(bot) {
    this.bot = bot;
    this.element = h("section.part.paper", { "aria-live": "polite", hidden: true });
    this.words = h("p.dim");
    /** @type {EventSource | undefined} */
    this.source;
  }

  /** Shows the report of a version, and its progress while it is made. @param {number} number */
  show(number) {
    this.close();
    this.element.hidden = false;
    const path = `/api/bots/${this.bot}/report/${number}`;
    const source = (this.source = listen(`${path}/events`, (update) => {
      if (update.over) source.close();
      this.draw(number, path, update);
    }));
  }

  /**
   * @param {number} number @param {string} path @param {{ state: string, over: boolean, error?: string | null,
   * message?: Message, progress?: { stage: string, done: number, total: number } | null }} update
   */
  draw(number, path, { state, over, error, message, progress }) {
    if (!over) {
      this.words.textContent = progress
        ? t(`bots.report.${progress.stage}`, { n: progress.done, of: progress.total })
        : t("bots.report.waiting");
      if (!this.element.contains(this.words))
        this.element.replaceChildren(
          h("h2", t("bots.report", { n: number })),
          h("div.going", h("span.pulse", { "aria-hidden": "true" }), this.words),
        );
      return;
    }
    const there = ["ready", "old", "done"].includes(state);
    const make = handler(async () => (await ask(path, {}), this.show(number)));
    this.element.replaceChildren(
      h("h2", t("bots.report", { n: number })),
      h("p.dim", t(state === "old" ? "bots.report.old" : there ? "bots.report.ready" : "bots.report.about")),
      h("p.trouble", { role: "alert" }, say(message, error)),
      h(
        "div.row",
        there && h("a.button", { href: path, download: true }, t("bots.report.download")),
        (!there || state === "old") &&
          h(
            "button",
            { class: there ? "quiet" : "button", click: make },
            t(there ? "bots.report.again" : "bots.report.make"),
          ),
      ),
    );
  }

  hide() {
    this.close();
    this.element.hidden = true;
  }

  close() {
    this.source?.close();
  }
}

/** Returns a plot of the ratings over time with their intervals. @param {Bot["history"]} history */
function ratingPlot(history) {
  const low = Math.min(...history.map(({ rating }) => rating.low));
  const high = Math.max(...history.map(({ rating }) => rating.high), low + 1);
  const x = (/** @type {number} */ at) => 20 + (at * 360) / Math.max(1, history.length - 1);
  const y = (/** @type {number} */ elo) => 110 - (100 * (elo - low)) / (high - low);
  const last = history[history.length - 1].rating;
  return h(
    "figure.history",
    svg(
      "svg",
      {
        viewBox: "0 0 400 120",
        role: "img",
        "aria-label": t("bots.history.label", { n: history.length, elo: Math.round(last.elo) }),
      },
      svg("polyline.line", { points: history.map(({ rating }, at) => `${x(at)},${y(rating.elo)}`).join(" ") }),
      ...history.flatMap(({ rating }, at) => [
        svg("line.interval", { x1: x(at), x2: x(at), y1: y(rating.low), y2: y(rating.high) }),
        svg("circle.point", { cx: x(at), cy: y(rating.elo), r: 4 }),
      ]),
    ),
    h("figcaption.dim", t("bots.history.range", { low: Math.round(low), high: Math.round(high) })),
  );
}

/** @param {HTMLElement} main @param {number} id @param {number} [wanted] the version whose report is wanted */
async function showBot(main, id, wanted) {
  /** @type {Bot} */
  let bot = await ask(`/api/bots/${id}`);
  document.title = `${bot.name} · Ludus`;
  const head = new Panel("header.bot-head");
  const check = h("section.part.check", { "aria-live": "polite" });
  const [rating, challenges] = [new Panel("section.part"), new Panel("section.part")];
  const next = h(
    "section.part",
    h("h2", t("bots.next")),
    uploadForm([], async (upload) => {
      const made = await ask(`/api/bots/${id}/versions`, upload);
      shown = made.version;
      await refresh();
      await open(shown);
    }),
  ); // never redrawn: someone may be filling it in while a check ends
  const report = new ReportPanel(id);
  main.append(
    head.element,
    h("div.columns", h("div.side", check, report.element), h("div.side", rating.element, challenges.element, next)),
  );
  /** @type {EventSource | undefined} */
  let source;
  let shown = (bot.versions.find(({ number }) => number === wanted) ?? bot.versions[0])?.number ?? 0;

  async function refresh() {
    bot = await ask(`/api/bots/${id}`);
    draw();
  }
  /** @param {string} path @param {unknown} body */
  const change = (path, body) => handler(async () => (await ask(`/api/bots/${id}/${path}`, body), await refresh()));

  function draw() {
    const may = bot.sees.includes("change");
    head.show([bot.version, bot.entered, bot.rank, bot.public, may], () => [
      h(
        "div",
        h("h1", bot.name),
        h(
          "p.dim",
          [
            gameName(bot.game, bot.game),
            bot.owner && t("bots.by", { name: bot.owner }),
            bot.version && t("bots.plays", { n: bot.version }),
          ]
            .filter(Boolean)
            .join(" · "),
        ),
      ),
      h(
        "div.row",
        may &&
          bot.version !== null &&
          !bot.entered &&
          h("button.button", { click: change("enter", {}) }, t("bots.enter")),
        bot.entered &&
          h("a.button", { href: `/ladder/${bot.game}` }, bot.rank ? t("bots.rank", { n: bot.rank }) : t("bots.ladder")),
        bot.version !== null && h("a.quiet", { href: `/play?game=${bot.game}&player=${bot.player}` }, t("bots.play")),
        may &&
          bot.version !== null &&
          !bot.entered &&
          h(
            "button.quiet",
            { click: change("public", { public: !bot.public }) },
            t(bot.public ? "bots.make.private" : "bots.make.public"),
          ),
        bot.sees.includes("remove") && h("button.quiet", { click: remove }, t("bots.remove")),
      ),
    ]);
    rating.element.hidden = !bot.rating;
    rating.show([bot.rating, bot.history], () =>
      bot.rating === null
        ? []
        : [
            h("h2", t("bots.rating")),
            h(
              "p.elo",
              h("strong", String(Math.round(bot.rating.elo))),
              h(
                "span.dim",
                ` ± ${Math.round((bot.rating.high - bot.rating.low) / 2)} · `,
                t("bots.games", { n: bot.rating.games }),
              ),
            ),
            h("p.dim", t("bots.rating.means")),
            bot.history.length > 1 && ratingPlot(bot.history),
          ],
    );
    challenges.element.hidden = !bot.challenges.length;
    challenges.show(bot.challenges, () => [
      h("h2", t("bots.challenges")),
      h("ul.challenges", ...bot.challenges.map((one) => challengeRow(one))),
    ]);
    next.hidden = !may;
    check.hidden = !bot.sees.includes("checks");
  }

  const remove = handler(async () => {
    if (!confirm(t("bots.remove.sure", { name: bot.name }))) return;
    await ask(`/api/bots/${id}/remove`, {});
    toast(t("bots.removed", { name: bot.name }));
    go("/bots");
  });

  /** Shows a version, and the progress of its check. @param {number} number */
  async function open(number) {
    source?.close();
    shown = number;
    /** @type {Version} */
    const version = await ask(`/api/bots/${id}/versions/${number}`);
    const going = version.state === "waiting" || version.state === "checking";
    const progressText = h("p.dim", t("bots.checking.wait"));
    const choose = h(
      "select",
      {
        "aria-label": t("bots.versions"),
        change: (/** @type {Event} */ event) =>
          handler(() => open(Number(/** @type {HTMLSelectElement} */ (event.target).value)))(),
      },
      ...bot.versions.map((one) =>
        h(
          "option",
          { value: one.number, selected: one.number === number },
          `${t("bots.version", { n: one.number })} · ${t(`bots.state.${one.state}`)} · ${shortDateTime(one.created)}`,
        ),
      ),
    );
    check.replaceChildren(
      h("div.row.between", h("h2", t("bots.check")), badge(version.state)),
      choose,
      h(
        "p.dim",
        [tOr(`language.${version.language}`, version.language), t("bots.speaks", { protocol: version.protocol })].join(
          " · ",
        ),
      ),
      ...(going
        ? [h("div.going", h("span.pulse", { "aria-hidden": "true" }), progressText)]
        : checkResults(bot, version)
      ).filter((part) => part instanceof Node),
    );
    if (version.state === "passed") report.show(number);
    else report.hide();
    if (!going) return;
    source = listen(`/api/bots/${id}/versions/${number}/events`, async (update) => {
      if (update.progress) progressText.textContent = say(update.progress.message, update.progress.text);
      if (!update.over) return;
      source?.close();
      await refresh();
      if (shown === number) await open(number);
    });
  }

  draw();
  if (bot.sees.includes("checks") && shown) await open(shown);
  if (wanted) report.element.scrollIntoView({ block: "center" });
  return () => (source?.close(), report.close());
}

/** @param {HTMLElement} main @param {string[]} words */
export async function show(main, words) {
  await loadAssets("bots");
  main.className = "bots";
  return /^\d+$/.test(words[0] ?? "")
    ? showBot(main, Number(words[0]), words[1] === "report" ? Number(words[2]) : undefined)
    : showList(main);
}
