// The account page: sign in and out, password, language, tokens, invitations, data, deletion. Decides nothing.

import { LANGUAGES, addressCode, ask, go, h, handler, loadAssets, saveLanguage, t, toast } from "../page.js";
import { button, card, download, field, isInstructor, radioGroup, submitButton, submitForm } from "../components.js";
import { invitationCard, tokenCard } from "../accounts/tokens.js";
import { profileAddress } from "../people/lists.js";

/** @typedef {{ name?: string | null, role: string, language?: string | null }} Me */
/** @import { Token } from "../accounts/tokens.js" */
/** @typedef {"open" | "invitation" | "closed"} SignUp */

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
  if (!URL.canParse(next, location.origin)) return "/";
  const url = new URL(next, location.origin);
  const address = url.pathname + url.search + url.hash;
  return url.origin === location.origin && !address.startsWith("//") ? address : "/";
}

/** @param {Me & { course?: number | null }} me */
async function afterSignIn(me) {
  if (me.language && me.language !== document.documentElement.lang) await saveLanguage(me.language);
  await loadAssets("account");
  toast(t("account.welcome", { name: me.name ?? "" }));
  go(me.course ? `/courses/${me.course}` : nextAddress());
}

/** Returns the field for an invitation; a link to this page may have its code. @param {SignUp} mode */
function codeField(mode) {
  const value = addressCode() || addressCode(nextAddress());
  if (mode === "open" && !value) return null;
  const attributes = { name: "code", value, maxlength: 64, autocomplete: "off", autocapitalize: "characters" };
  return input(t("account.code"), { ...attributes, required: mode !== "open" }, t("account.code.how"));
}

/**
 * Shows the card for guests: sign in, or sign up.
 * @param {HTMLElement} main @param {boolean} isNew whether the account is to be created @param {SignUp} mode
 */
function showSignIn(main, isNew, mode) {
  const title = t(isNew ? "account.up" : "account.in");
  document.title = `${title} · Ludus`;
  const name = { name: "name", autocomplete: "username", autocapitalize: "none", spellcheck: "false" };
  const turn = () => (showSignIn(main, !isNew, mode), main.querySelector("input")?.focus());
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
          input(t("account.name"), { ...name, minlength: 2, maxlength: 32 }, isNew ? t("account.name.hint") : ""),
          passwordInput(
            t("account.password"),
            "password",
            isNew ? NEW_PASSWORD : {},
            isNew ? t("account.password.rule") : "",
          ),
          isNew && codeField(mode),
          submitButton(isNew ? "account.up.do" : "account.in.do", "button large"),
        ),
        mode === "closed"
          ? h("p.other", t("account.closed"))
          : h(
              "p.other",
              t(isNew ? "account.have" : "account.none"),
              " ",
              button(isNew ? "account.in" : "account.up", turn, "as-link"),
            ),
      ),
      h(
        "aside.why",
        h("h2", t("account.why")),
        h("ul", ...["games", "name", "rated", "bots"].map((key) => h("li", t(`account.why.${key}`)))),
        h("p.dim", t("account.why.guest")),
      ),
    ),
  );
}

/** @param {Me} me */
function languageCard(me) {
  const choose = (/** @type {string} */ language) =>
    handler(async () => {
      await ask("/api/account/language", { language });
      await saveLanguage(language);
      go("/account");
    })();
  const languages = Object.entries(LANGUAGES).map(([lang, words]) => [lang, h("span", { lang }, words)]);
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
  const data = dataCard(() => signOut(true));
  main.append(
    h(
      "div.head",
      h("div", h("h1", me.name ?? ""), h("p.dim", t(`role.${me.role}`))),
      h(
        "div.row",
        me.role === "admin" && h("a.quiet", { href: "/admin" }, t("account.admin")),
        h("a.quiet", { href: profileAddress(me.name ?? "") }, t("account.profile")),
        button("account.out", () => signOut(false)),
      ),
    ),
    h(
      "div.parts",
      h("div", languageCard(me), tokenCard(tokens, me.role)),
      h("div", passwordCard(me), isInstructor(me.role) && (await invitationCard(me.role)), data),
    ),
  );
}

/** @param {HTMLElement} main */
export async function show(main) {
  await loadAssets("account");
  /** @type {Me} */
  const me = await ask("/api/account");
  main.className = "account";
  if (me.name) return accountPage(main, me);
  /** @type {{ mode: SignUp }} */
  const { mode } = await ask("/api/sign-up");
  showSignIn(main, mode !== "closed" && new URLSearchParams(location.search).has("new"), mode);
}
