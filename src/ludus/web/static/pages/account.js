// The account page: sign in and out, password, language, tokens, data, deletion. Decides nothing.

import { LANGUAGES, RequestError, ask, copy, go, h, handler, loadAssets, saveLanguage, t, toast } from "../page.js";
import { copyField } from "../components.js";

/** @typedef {{ name?: string | null, role: string, language?: string | null }} Me */
/** @typedef {{ id: number, name: string, created: string, used: string | null }} Token */

const MIN_PASSWORD_LENGTH = 8;

/** The server's messages and the page's words for them. @type {[RegExp, string][]} */
const REFUSALS = [
  [/^the name or the password/, "account.wrong"],
  [/^this is not your password/, "account.wrong.own"],
  [/^the name .* is taken/, "account.taken"],
  [/^a name has/, "account.name.rule"],
  [/^a password needs/, "account.password.rule"],
  [/^the password must not be the name/, "account.password.name"],
  [/^too many/, "account.later"],
];

/** @param {unknown} error */
function errorText(error) {
  if (!(error instanceof RequestError)) throw error;
  const known = REFUSALS.find(([pattern]) => pattern.test(error.message));
  return known ? t(known[1]) : error.message;
}

/** @param {string} moment */
function dateText(moment) {
  return new Date(moment).toLocaleDateString(document.documentElement.lang, {
    year: "numeric",
    month: "short",
    day: "numeric",
  });
}

/**
 * Returns a labelled field with a hint.
 * @param {string} words @param {Record<string, any>} attributes @param {string} [hint]
 */
function field(words, attributes, hint) {
  return h(
    "label.field",
    words,
    h("input", { required: true, maxlength: 200, ...attributes }),
    hint && h("small", hint),
  );
}

/**
 * Returns a form that shows a failed request below its fields.
 * @param {HTMLElement[]} fields @param {string} words of its button
 * @param {(values: Record<string, string>, form: HTMLFormElement) => Promise<void>} work @param {string} [kind] of its
 * button
 */
function form(fields, words, work, kind = "button") {
  const trouble = h("p.trouble", { role: "alert" });
  const button = h("button", { class: kind, type: "submit" }, words);
  const element = h("form", { submit: send }, ...fields, trouble, button);
  /** @param {Event} event */
  async function send(event) {
    event.preventDefault();
    trouble.textContent = "";
    button.disabled = true;
    try {
      await work(/** @type {Record<string, string>} */ (Object.fromEntries(new FormData(element))), element);
    } catch (error) {
      trouble.textContent = errorText(error);
    } finally {
      button.disabled = false;
    }
  }
  return element;
}

/** @param {string} title @param {...(Node | string | null | false)} parts */
function card(title, ...parts) {
  return h("section.part", h("h2", title), ...parts);
}

/** Returns the address to go to after signing in: `next` if it is one of this site, else home. */
function nextAddress() {
  const next = new URLSearchParams(location.search).get("next") ?? "/";
  return /^\/(?![/\\])/.test(next) ? next : "/";
}

/** @param {Me} me */
async function afterSignIn(me) {
  if (me.language && me.language !== document.documentElement.lang) await saveLanguage(me.language);
  await loadAssets("account");
  toast(t("account.welcome", { name: me.name ?? "" }));
  go(nextAddress());
}

/**
 * Shows the card for guests: sign in, or sign up.
 * @param {HTMLElement} main @param {boolean} fresh whether the account is to be element
 */
function signInCard(main, fresh) {
  document.title = `${t(fresh ? "account.up" : "account.in")} · Ludus`;
  const turn = (/** @type {boolean} */ other) => (
    signInCard(main, other),
    /** @type {HTMLElement | null} */ (main.querySelector("input"))?.focus()
  );
  const path = fresh ? "/api/account/sign-up" : "/api/account/sign-in";
  main.replaceChildren(
    h(
      "div.door",
      h(
        "div.part",
        h("h1", t(fresh ? "account.up" : "account.in")),
        form(
          [
            field(
              t("account.name"),
              {
                name: "name",
                autocomplete: "username",
                autocapitalize: "none",
                spellcheck: "false",
                minlength: 2,
                maxlength: 40,
              },
              fresh ? t("account.name.hint") : "",
            ),
            field(
              t("account.password"),
              {
                name: "password",
                type: "password",
                autocomplete: fresh ? "new-password" : "current-password",
                minlength: fresh ? MIN_PASSWORD_LENGTH : null,
              },
              fresh ? t("account.password.rule") : "",
            ),
          ],
          t(fresh ? "account.up.do" : "account.in.do"),
          async (values) =>
            afterSignIn(await ask(path, fresh ? { ...values, language: document.documentElement.lang } : values)),
          "button large",
        ),
        h(
          "p.other",
          t(fresh ? "account.have" : "account.none"),
          " ",
          h("button.as-link", { click: () => turn(!fresh) }, t(fresh ? "account.in" : "account.up")),
        ),
      ),
      h(
        "aside.why",
        h("h2", t("account.why")),
        h("ul", ...["account.why.games", "account.why.name", "account.why.bots"].map((key) => h("li", t(key)))),
        h("p.dim", t("account.why.guest")),
      ),
    ),
  );
}

/** @param {HTMLElement} list @param {Token[]} tokens */
function drawTokens(list, tokens) {
  list.replaceChildren(
    ...tokens.map(({ id, name, created, used }) =>
      h(
        "li",
        h(
          "span",
          h("strong", name),
          h(
            "small",
            [
              t("account.token.made", { day: dateText(created) }),
              used ? t("account.token.used", { day: dateText(used) }) : t("account.token.unused"),
            ].join(" · "),
          ),
        ),
        h(
          "button.quiet",
          {
            "aria-label": t("account.token.revoke.label", { name }),
            click: handler(async () => drawTokens(list, await ask(`/api/account/tokens/${id}/revoke`, {}))),
          },
          t("account.token.revoke"),
        ),
      ),
    ),
  );
  list.hidden = tokens.length === 0;
}

/** @param {Token[]} tokens */
function tokenCard(tokens) {
  const list = h("ul.tokens");
  const shown = h("div.secret", { role: "status" });
  drawTokens(list, tokens);
  const make = form(
    [
      field(t("account.token.name"), {
        name: "name",
        maxlength: 40,
        placeholder: t("account.token.example"),
        autocomplete: "off",
      }),
    ],
    t("account.token.make"),
    async ({ name }, element) => {
      const { secret } = await ask("/api/account/tokens", { name });
      element.reset();
      drawTokens(list, await ask("/api/account/tokens"));
      const copied = () => copy(secret);
      shown.replaceChildren(
        h("p", t("account.token.once")),
        h(
          "div.row",
          copyField(secret, { "aria-label": t("account.token.secret") }),
          h("button.button", { click: copied }, t("account.token.copy")),
        ),
      );
    },
    "quiet",
  );
  return card(t("account.tokens"), h("p.dim", t("account.tokens.about")), list, shown, make);
}

/** @param {Me} me */
function languageCard(me) {
  const choose = (/** @type {string} */ language) =>
    handler(async () => {
      await ask("/api/account/language", { language });
      await saveLanguage(language);
      go("/account");
    });
  return card(
    t("account.language"),
    h(
      "fieldset.choices",
      h("legend.unseen", t("account.language")),
      h(
        "div.options",
        ...Object.entries(LANGUAGES).map(([language, words]) =>
          h(
            "label.choice",
            h("input", {
              type: "radio",
              name: "language",
              value: language,
              checked: language === me.language,
              change: choose(language),
            }),
            h("span", { lang: language }, h("strong", words)),
          ),
        ),
      ),
    ),
  );
}

/** @param {Me} me */
function passwordCard(me) {
  return card(
    t("account.password.change"),
    form(
      [
        h("input.unseen", {
          name: "name",
          value: me.name,
          autocomplete: "username",
          readonly: true,
          tabindex: -1,
          "aria-hidden": "true",
        }), // for password managers
        field(t("account.password.old"), { name: "old", type: "password", autocomplete: "current-password" }),
        field(
          t("account.password.new"),
          { name: "new", type: "password", autocomplete: "new-password", minlength: MIN_PASSWORD_LENGTH },
          t("account.password.rule"),
        ),
      ],
      t("account.password.do"),
      async (values, element) => {
        await ask("/api/account/password", { old: values.old, new: values.new });
        element.reset();
        toast(t("account.password.done"));
      },
      "quiet",
    ),
  );
}

/** @param {() => void} outEverywhere */
function dataCard(outEverywhere) {
  const leave = form(
    [field(t("account.password"), { name: "password", type: "password", autocomplete: "current-password" })],
    t("account.delete.do"),
    async ({ password }) => {
      await ask("/api/account/delete", { password });
      goHome("account.delete.done");
    },
    "button danger",
  );
  return card(
    t("account.data"),
    h("p.dim", t("account.data.about")),
    h(
      "div.row",
      h("a.quiet", { href: "/api/account/data", download: true }, t("account.data.get")),
      h("button.quiet", { click: outEverywhere }, t("account.out.all")),
    ),
    h("details.leave", h("summary", t("account.delete")), h("div", h("p.dim", t("account.delete.about")), leave)),
  );
}

/** Goes to the home page as a guest. @param {string} key what is said */
function goHome(key) {
  toast(t(key));
  go("/");
}

/** Shows the account of a signed-in person. @param {HTMLElement} main @param {Me} me */
async function accountPage(main, me) {
  document.title = `${me.name} · Ludus`;
  /** @type {Token[]} */
  const tokens = await ask("/api/account/tokens");
  const out = (/** @type {boolean} */ everywhere) =>
    handler(async () => (await ask("/api/account/sign-out", { everywhere }), goHome("account.out.done")));
  main.append(
    h(
      "div.head",
      h("div", h("h1", me.name ?? ""), h("p.dim", t(`role.${me.role}`))),
      h(
        "div.row",
        me.role === "admin" && h("a.quiet", { href: "/admin" }, t("account.admin")),
        h("button.button", { click: out(false) }, t("account.out")),
      ),
    ),
    h("div.parts", h("div", languageCard(me), tokenCard(tokens)), h("div", passwordCard(me), dataCard(out(true)))),
  );
}

/** @param {HTMLElement} main */
export async function show(main) {
  await loadAssets("account");
  /** @type {Me} */
  const me = await ask("/api/account");
  main.className = "account";
  if (me.name) await accountPage(main, me);
  else signInCard(main, new URLSearchParams(location.search).has("new"));
}
