// My games: the visitor's own games, with search and filters, and the way back into those that are not over.

import { emptyState, field, gameChoices, inputField, select } from "../components.js";
import { ask, h, handler, loadAssets, signedIn, t, tCount } from "../page.js";
import { gameList, homeTabs, pager } from "../people/lists.js";

/** @import { Game } from "../page.js" */
/** @import { GamePage } from "../people/lists.js" */

const RESULTS = ["open", "won", "drawn", "lost", "both"];
const OPPONENTS = ["engine", "bot", "person", "self"];
const FILTERS = ["game", "result", "opponent", "name", "since", "until"];
const TYPING_MS = 300;

class GamesPage {
  /** @param {HTMLElement} main @param {Game[]} games */
  constructor(main, games) {
    const asked = new URLSearchParams(location.search);
    const chosen = (/** @type {string} */ name) => asked.get(name) ?? "";
    const any = [["", t("people.any")]];
    const choice = (/** @type {string} */ name, /** @type {string[][]} */ choices) =>
      field(
        t(`people.${name}`),
        select([...any, ...choices], chosen(name), { name }, () => this.search()),
      );
    this.page = Number(asked.get("page") ?? 0) || 0;
    this.timer = 0;
    this.form = h(
      "form.filters",
      { role: "search", "aria-label": t("people.search"), submit: (/** @type {Event} */ event) => this.submit(event) },
      choice("game", gameChoices(games)),
      choice(
        "result",
        RESULTS.map((name) => [name, t(`result.${name}`)]),
      ),
      choice(
        "opponent",
        OPPONENTS.map((name) => [name, t(`people.opponent.${name}`)]),
      ),
      inputField(t("people.name"), {
        name: "name",
        type: "search",
        maxlength: 64,
        value: chosen("name"),
        input: () => this.searchSoon(),
      }),
      ...["since", "until"].map((name) =>
        inputField(t(`people.${name}`), { name, type: "date", value: chosen(name), change: () => this.search() }),
      ),
    );
    this.place = h("section", { "aria-label": t("games.title") });
    this.count = h("p.dim", { role: "status" });
    main.className = "people";
    main.append(
      h("h1", t("games.title")),
      homeTabs("games", signedIn()),
      h("details.more", { open: FILTERS.some((name) => asked.has(name)) }, h("summary", t("people.search")), this.form),
      this.count,
      this.place,
    );
  }

  /** @param {Event} event */
  submit(event) {
    event.preventDefault();
    this.search();
  }

  searchSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.search(), TYPING_MS);
  }

  search() {
    this.page = 0;
    return handler(() => this.load())();
  }

  /** Loads a page of the games that are looked for; the address says which. */
  async load() {
    const data = [...new FormData(this.form)].map(([name, value]) => [name, String(value)]);
    const query = new URLSearchParams(data.filter(([, value]) => value !== ""));
    const searched = query.size > 0;
    if (this.page) query.set("page", String(this.page));
    /** @type {GamePage} */
    const found = await ask(`/api/my/games?${query}`);
    history.replaceState(null, "", query.size ? `/games?${query}` : "/games");
    this.show(found, searched);
  }

  /** @param {GamePage} found @param {boolean} searched whether some games are left out */
  show(found, searched) {
    const turn = (/** @type {number} */ page) => ((this.page = page), handler(() => this.load())());
    this.count.textContent = found.count ? tCount("people.count", found.count) : "";
    const empty = searched
      ? h("div.empty", h("p", t("games.none")))
      : emptyState("games.empty", "/play", "games.start");
    const parts = found.games.length ? [gameList(found.games, true), pager(found, this.page, turn)] : [empty];
    this.place.replaceChildren(...parts.filter((part) => part instanceof Node));
    if (!signedIn() && found.count) this.place.append(h("p.dim.note", t("games.guest")));
  }
}

/** @param {HTMLElement} main */
export async function show(main) {
  /** @type {[Game[], unknown]} */
  const [games] = await Promise.all([ask("/api/games"), loadAssets("people")]);
  document.title = `${t("games.title")} · Ludus`;
  const page = new GamesPage(main, games);
  await page.load();
  return () => clearTimeout(page.timer);
}
