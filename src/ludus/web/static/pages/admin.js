// For admins: accounts with their roles, and the audit log. The server decides who may see it.

import { announce, ask, h, handler, loadAssets, t, tOr, toast } from "../page.js";
import { button, card, dateTime, radioGroup, scrollTable, select } from "../components.js";

/** @typedef {{ id: number, name: string, role: string, language: string }} Account */
/**
 * @typedef {{ id: number, at: string, account_id: number | null, name: string | null, kind: string, detail:
 *   Record<string, any> }} Entry
 */

const ROLES = ["student", "instructor", "admin"];
const PAGE = 100;

/** @param {Account} account @param {boolean} own */
function accountRow(account, own) {
  const change = handler(async () => {
    try {
      const { role } = await ask(`/api/accounts/${account.id}/role`, { role: choice.value });
      account.role = role;
      const done = t("admin.role.done", { name: account.name, role: t(`role.${role}`) });
      toast(done);
      announce(done);
    } finally {
      choice.value = account.role;
    }
  });
  const roles = ROLES.map((role) => [role, t(`role.${role}`)]);
  const label = { "aria-label": t("admin.role.of", { name: account.name }), disabled: own };
  const choice = select(roles, account.role, { ...label, title: own ? t("admin.role.own") : null }, change);
  return h("tr", h("th", { scope: "row" }, account.name), h("td", choice));
}

/** @param {Entry} entry @param {Map<number, string>} names */
function auditRow(entry, names) {
  const person = (/** @type {number | null | undefined} */ id) => (id && names.get(id)) || t("admin.someone");
  const values = {
    ...entry.detail,
    account: person(entry.detail.account),
    from: tOr(`role.${entry.detail.from}`, ""),
    to: tOr(`role.${entry.detail.to}`, ""),
    role: tOr(`role.${entry.detail.role}`, ""),
  };
  const plain = Object.entries(entry.detail)
    .map(([key, value]) => `${key}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");
  const known = tOr(`audit.${entry.kind}`, "");
  return h(
    "li",
    h("time", { datetime: entry.at }, dateTime(entry.at)),
    h(
      "span",
      h("strong", entry.account_id ? person(entry.account_id) : t("admin.command-line")),
      " ",
      known ? t(`audit.${entry.kind}`, values) : [entry.kind, plain].filter(Boolean).join(" · "),
    ),
  );
}

/** Returns the card that says who can sign up. */
async function signUpCard() {
  /** @type {{ mode: string, fixed: boolean }} */
  const { mode, fixed } = await ask("/api/sign-up");
  if (fixed) return card(t("signup.title"), h("p", t(`signup.${mode}.how`)), h("p.dim", t("signup.fixed", { mode })));
  const change = (/** @type {string} */ chosen) =>
    handler(async () => {
      await ask("/api/sign-up", { mode: chosen });
      toast(t(`signup.${chosen}.how`));
      announce(t(`signup.${chosen}.how`));
    })();
  const modes = ["open", "invitation", "closed"].map((one) => [one, t(`signup.${one}`), t(`signup.${one}.how`)]);
  return card(
    t("signup.title"),
    radioGroup("choices untitled", "sign-up", t("signup.title"), modes, mode, change),
    h("p.dim", h("a", { href: "/account" }, t("signup.invitations"))),
  );
}

/** @param {HTMLElement} main */
export async function show(main) {
  await loadAssets("admin");
  document.title = `${t("admin.title")} · Ludus`;
  /** @type {[Account[], Entry[], { name: string }]} */
  const [accounts, entries, me] = await Promise.all([ask("/api/accounts"), ask("/api/audit"), ask("/api/account")]);
  const signUp = await signUpCard();
  const names = new Map(accounts.map(({ id, name }) => [id, name]));
  const rows = accounts.map((account) => ({
    name: account.name.toLowerCase(),
    row: accountRow(account, account.name === me.name),
  }));
  const count = h("p.dim", { role: "status" });
  const search = h("input", {
    type: "search",
    placeholder: t("admin.search"),
    "aria-label": t("admin.search"),
    input: filter,
  });
  function filter() {
    const wanted = search.value.trim().toLowerCase();
    for (const { name, row } of rows) row.hidden = !name.includes(wanted);
    count.textContent = t("admin.count", { n: rows.filter(({ row }) => !row.hidden).length, all: rows.length });
  }
  const list = h("ol.log", ...entries.map((entry) => auditRow(entry, names)));
  let last = entries;
  const more = button("admin.older", async () => {
    last = await ask(`/api/audit?before=${last[last.length - 1].id}`);
    list.append(...last.map((entry) => auditRow(entry, names)));
    more.hidden = last.length < PAGE;
  });
  more.hidden = entries.length < PAGE;
  const lines = rows.map(({ row }) => row);
  const table = scrollTable("", t("admin.accounts"), [t("admin.name"), t("admin.role")], lines);
  main.className = "admin";
  main.append(
    h("h1", t("admin.title")),
    signUp,
    h("div.halves", card(t("admin.accounts"), search, count, table), card(t("admin.log"), list, more)),
  );
  filter();
}
