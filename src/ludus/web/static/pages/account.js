// The account page: sign in and out, password, language, tokens, data, deletion. Decides nothing.

import { LANGUAGES, ask, copy, go, h, handler, loadAssets, saveLanguage, t, toast } from "../page.js";
import {
  button,
  card,
  copyField,
  dateTime,
  download,
  field,
  radioGroup,
  submitButton,
  submitForm,
} from "../components.js";

/** @typedef {{ name?: string | null, role: string, language?: string | null }} Me */
/** @typedef {{ id: number, name: string, created: string, used: string | null }} Token */

/** @param {string} moment */
const dateText = (moment) => dateTime(moment, { year: "numeric", month: "short", day: "numeric" });

/**
 * Returns a required text field.
 * @param {string} label @param {Record<string, any>} attributes @param {string} [hint]
 */
const input = (label, attributes, hint) =>
  field(label, h("input", { required: true, maxlength: 200, ...attributes }), hint);

/** @param {string} label @param {string} name @param {Record<string, any>} [attributes] @param {string} [hint] */
const passwordInput = (label, name, attributes, hint) =>
  input(label, { name, type: "password", autocomplete: "current-password", ...attributes }, hint);

/** The attributes of a field for a new password. */
const NEW_PASSWORD = { autocomplete: "new-password", minlength: 8 };

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
 * @param {HTMLElement} main @param {boolean} isNew whether the account is to be created
 */
function showSignIn(main, isNew) {
  const title = t(isNew ? "account.up" : "account.in");
  document.title = `${title} · Ludus`;
  const name = { name: "name", autocomplete: "username", autocapitalize: "none", spellcheck: "false" };
  const turn = () => (showSignIn(main, !isNew), main.querySelector("input")?.focus());
  main.replaceChildren(
    h(
      "div.sign-in",
      h(
        "div.part",
        h("h1", title),
        submitForm(
          async (values) => {
            const path = isNew ? "/api/account/sign-up" : "/api/account/sign-in";
            const language = isNew ? { language: document.documentElement.lang } : {};
            await afterSignIn(await ask(path, { ...values, ...language }));
          },
          input(t("account.name"), { ...name, minlength: 2, maxlength: 40 }, isNew ? t("account.name.hint") : ""),
          passwordInput(
            t("account.password"),
            "password",
            isNew ? NEW_PASSWORD : {},
            isNew ? t("account.password.rule") : "",
          ),
          submitButton(isNew ? "account.up.do" : "account.in.do", "button large"),
        ),
        h(
          "p.other",
          t(isNew ? "account.have" : "account.none"),
          " ",
          button(isNew ? "account.in" : "account.up", turn, "as-link"),
        ),
      ),
      h(
        "aside.why",
        h("h2", t("account.why")),
        h("ul", ...["games", "name", "bots"].map((key) => h("li", t(`account.why.${key}`)))),
        h("p.dim", t("account.why.guest")),
      ),
    ),
  );
}

/** @param {HTMLElement} list @param {Token[]} tokens */
function drawTokens(list, tokens) {
  const row = (/** @type {Token} */ { id, name, created, used }) => {
    const made = t("account.token.made", { day: dateText(created) });
    const last = used ? t("account.token.used", { day: dateText(used) }) : t("account.token.unused");
    const revoke = async () => drawTokens(list, await ask(`/api/account/tokens/${id}/revoke`, {}));
    return h(
      "li",
      h("span", h("strong", name), h("small", `${made} · ${last}`)),
      button("account.token.revoke", revoke, "quiet", t("account.token.revoke.label", { name })),
    );
  };
  list.replaceChildren(...tokens.map(row));
  list.hidden = tokens.length === 0;
}

/** @param {Token[]} tokens */
function tokenCard(tokens) {
  const list = h("ul.tokens");
  const shown = h("div.secret", { role: "status" });
  const name = { name: "name", maxlength: 40, placeholder: t("account.token.example"), autocomplete: "off" };
  drawTokens(list, tokens);
  const create = submitForm(
    async (values, form) => {
      const { secret } = await ask("/api/account/tokens", { name: values.name });
      form.reset();
      drawTokens(list, await ask("/api/account/tokens"));
      shown.replaceChildren(
        h("p", t("account.token.once")),
        h(
          "div.row",
          copyField(secret, { "aria-label": t("account.token.secret") }),
          button("account.token.copy", () => copy(secret), "button"),
        ),
      );
    },
    input(t("account.token.name"), name),
    submitButton("account.token.make", "quiet"),
  );
  return card(t("account.tokens"), h("p.dim", t("account.tokens.about")), list, shown, create);
}

/** @param {Me} me */
function languageCard(me) {
  const choose = (/** @type {string} */ language) =>
    handler(async () => {
      await ask("/api/account/language", { language });
      await saveLanguage(language);
      go("/account");
    })();
  const languages = Object.entries(LANGUAGES).map(
    ([lang, words]) => /** @type {[string, Node]} */ ([lang, h("span", { lang }, words)]),
  );
  return card(
    t("account.language"),
    radioGroup("choices untitled", "language", t("account.language"), languages, me.language ?? "", choose),
  );
}

/** @param {Me} me */
function passwordCard(me) {
  const name = { name: "name", value: me.name, autocomplete: "username", readonly: true, tabindex: -1 };
  return card(
    t("account.password.change"),
    submitForm(
      async (values, form) => {
        await ask("/api/account/password", { old: values.old, new: values.new });
        form.reset();
        toast(t("account.password.done"));
      },
      h("input.unseen", { ...name, "aria-hidden": "true" }), // for password managers
      passwordInput(t("account.password.old"), "old"),
      passwordInput(t("account.password.new"), "new", NEW_PASSWORD, t("account.password.rule")),
      submitButton("account.password.do", "quiet"),
    ),
  );
}

/** @param {() => unknown} signOutEverywhere */
function dataCard(signOutEverywhere) {
  const leave = submitForm(
    async ({ password }) => {
      await ask("/api/account/delete", { password });
      goHome("account.delete.done");
    },
    passwordInput(t("account.password"), "password"),
    submitButton("account.delete.do", "button danger"),
  );
  return card(
    t("account.data"),
    h("p.dim", t("account.data.about")),
    h("div.row", download("/api/account/data", t("account.data.get")), button("account.out.all", signOutEverywhere)),
    h("details.leave", h("summary", t("account.delete")), h("div", h("p.dim", t("account.delete.about")), leave)),
  );
}

/** Goes to the home page as a guest. @param {string} key of the message */
function goHome(key) {
  toast(t(key));
  go("/");
}

/** Shows the account of a signed-in person. @param {HTMLElement} main @param {Me} me */
async function accountPage(main, me) {
  document.title = `${me.name} · Ludus`;
  /** @type {Token[]} */
  const tokens = await ask("/api/account/tokens");
  const signOut = async (/** @type {boolean} */ everywhere) => {
    await ask("/api/account/sign-out", { everywhere });
    goHome("account.out.done");
  };
  main.append(
    h(
      "div.head",
      h("div", h("h1", me.name ?? ""), h("p.dim", t(`role.${me.role}`))),
      h(
        "div.row",
        me.role === "admin" && h("a.quiet", { href: "/admin" }, t("account.admin")),
        button("account.out", () => signOut(false), "button"),
      ),
    ),
    h(
      "div.parts",
      h("div", languageCard(me), tokenCard(tokens)),
      h(
        "div",
        passwordCard(me),
        dataCard(() => signOut(true)),
      ),
    ),
  );
}

/** @param {HTMLElement} main */
export async function show(main) {
  await loadAssets("account");
  /** @type {Me} */
  const me = await ask("/api/account");
  main.className = "account";
  if (me.name) await accountPage(main, me);
  else showSignIn(main, new URLSearchParams(location.search).has("new"));
}
