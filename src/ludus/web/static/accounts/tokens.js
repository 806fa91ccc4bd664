// Tokens and invitations: lists of what can still be used, and forms for new ones, whose secret is shown once.

import { ask, copy, h, t, tCount } from "../page.js";
import { button, card, copyField, dateTime, field, select, submitButton, submitForm } from "../components.js";

/**
 * @typedef {{ id: number, name: string, scopes: string[], created: string, used: string | null, expires: string |
 *   null, ended: boolean }} Token
 */
/**
 * @typedef {{ id: number, role: string, note: string, left: number, expires: string, by: string | null }} Invitation
 */

const ROLES = ["student", "instructor", "admin"];
/** What a token can do, and the least role that can allow it. */
const SCOPES = [
  ["read", "student"],
  ["play", "student"],
  ["submit", "student"],
  ["teach", "instructor"],
  ["admin", "admin"],
];
const TOKEN_DAYS = [7, 30, 90, 366];
const INVITATION_DAYS = [1, 7, 14, 60];

/** @param {string} moment */
const dateText = (moment) => dateTime(moment, { year: "numeric", month: "short", day: "numeric" });

/** Returns a field for a number of days. @param {number[]} choices @param {number} chosen */
const daysField = (choices, chosen) =>
  field(
    t("account.days"),
    select(
      choices.map((days) => [String(days), tCount("account.days.of", days)]),
      String(chosen),
      { name: "days" },
    ),
  );

/**
 * Returns a line of a list, with a button that removes it.
 * @param {string} name @param {string[]} facts @param {() => unknown} revoke @param {string} label of the button
 */
const line = (name, facts, revoke, label) =>
  h(
    "li",
    h("span", h("strong", name), h("small", facts.filter(Boolean).join(" · "))),
    button("account.token.revoke", revoke, "quiet", label),
  );

/** Shows a secret this once. @param {HTMLElement} place @param {string} label @param {string} secret */
function showSecret(place, label, secret) {
  place.replaceChildren(
    h("p", t("account.token.once")),
    h(
      "div.row",
      copyField(secret, { "aria-label": label }),
      button("account.token.copy", () => copy(secret), "button"),
    ),
  );
}

/** @param {HTMLElement} list @param {Token[]} tokens */
function drawTokens(list, tokens) {
  const row = (/** @type {Token} */ { id, name, scopes, created, used, expires, ended }) => {
    const end = expires
      ? t(ended ? "account.token.ended" : "account.token.until", { day: dateText(expires) })
      : t("account.token.endless");
    const facts = [
      scopes.map((scope) => t(`scope.${scope}`)).join(", "),
      end,
      t("account.token.made", { day: dateText(created) }),
      used ? t("account.token.used", { day: dateText(used) }) : t("account.token.unused"),
    ];
    const revoke = async () => drawTokens(list, await ask(`/api/account/tokens/${id}/revoke`, {}));
    return line(name, facts, revoke, t("account.token.revoke.label", { name }));
  };
  list.replaceChildren(...tokens.map(row));
  list.hidden = tokens.length === 0;
}

/** Returns the card of a person's tokens. @param {Token[]} tokens @param {string} role */
export function tokenCard(tokens, role) {
  const list = h("ul.tokens");
  const shown = h("div.secret", { role: "status" });
  const name = {
    name: "name",
    required: true,
    maxlength: 40,
    placeholder: t("account.token.example"),
    autocomplete: "off",
  };
  const scopes = SCOPES.filter(([, least]) => ROLES.indexOf(role) >= ROLES.indexOf(least)).map(([scope]) => {
    const fixed = scope === "read"; // every token can read
    const tick = {
      type: "checkbox",
      name: "scope",
      value: scope,
      checked: fixed || scope === "submit",
      disabled: fixed,
    };
    return h(
      "label.tick",
      h("input", tick),
      h("span", h("strong", t(`scope.${scope}`)), h("small", t(`scope.${scope}.how`))),
    );
  });
  drawTokens(list, tokens);
  const create = submitForm(
    async (values, form) => {
      const chosen = ["read", ...new FormData(form).getAll("scope")];
      const wanted = { name: values.name, scopes: chosen, days: Number(values.days) };
      const { secret } = await ask("/api/account/tokens", wanted);
      form.reset();
      drawTokens(list, await ask("/api/account/tokens"));
      showSecret(shown, t("account.token.secret"), secret);
    },
    field(t("account.token.name"), h("input", name)),
    h("fieldset.scopes", h("legend", t("account.token.scopes")), ...scopes),
    daysField(TOKEN_DAYS, 90),
    submitButton("account.token.make", "quiet"),
  );
  return card(t("account.tokens"), h("p.dim", t("account.tokens.about")), list, shown, create);
}

/** @param {HTMLElement} list @param {Invitation[]} invitations */
function drawInvitations(list, invitations) {
  const row = (/** @type {Invitation} */ { id, role, note, left, expires, by }) => {
    const name = note || t("invite.of", { role: t(`role.${role}`) });
    const facts = [
      note && t(`role.${role}`),
      tCount("invite.left", left),
      t("account.token.until", { day: dateTime(expires) }),
      by ?? t("invite.command-line"),
    ];
    const revoke = async () => drawInvitations(list, await ask(`/api/invitations/${id}/revoke`, {}));
    return line(name, facts, revoke, t("invite.revoke.label", { name }));
  };
  list.replaceChildren(...invitations.map(row));
  list.hidden = invitations.length === 0;
}

/** Returns the card of invitations, for instructors and admins. @param {string} role */
export async function invitationCard(role) {
  const list = h("ul.tokens");
  const shown = h("div.secret", { role: "status" });
  drawInvitations(list, await ask("/api/invitations"));
  const uses = { name: "uses", type: "number", required: true, min: 1, max: 1000, value: 1 };
  const note = { name: "note", maxlength: 80, placeholder: t("invite.note.example"), autocomplete: "off" };
  const roles = ROLES.slice(0, role === "admin" ? 2 : 1).map((one) => [one, t(`role.${one}`)]);
  const create = submitForm(
    async (values, form) => {
      const wanted = { ...values, uses: Number(values.uses), days: Number(values.days) };
      const { code } = await ask("/api/invitations", wanted);
      form.reset();
      drawInvitations(list, await ask("/api/invitations"));
      showSecret(shown, t("invite.link"), `${location.origin}/account?new#${code}`);
    },
    field(t("invite.note"), h("input", note)),
    h(
      "div.fields",
      field(t("invite.uses"), h("input", uses)),
      daysField(INVITATION_DAYS, 14),
      roles.length > 1 && field(t("invite.role"), select(roles, "student", { name: "role" })),
    ),
    submitButton("invite.make", "quiet"),
  );
  return card(t("invite.title"), h("p.dim", t("invite.about")), list, shown, create);
}
