// SPDX-License-Identifier: Apache-2.0
// login.ts: who a person is, and what the role may do. The password is sent once and kept nowhere; what
// stays is a cookie that scripts cannot read.
import { ask, errorFrom, login, logout, whoAmI } from "./api.ts";
import { button, fill, h } from "./dom.ts";

const RIGHTS = `SELECT has_schema_privilege('public', 'CREATE') OR coalesce(bool_or(
  has_table_privilege(c.oid, 'INSERT') OR has_table_privilege(c.oid, 'UPDATE') OR has_table_privilege(c.oid, 'DELETE')), false),
  current_setting('transaction_read_only') = 'on'
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p') AND n.nspname NOT IN ('pg_catalog', 'information_schema')`;

export class Login {
  /** Who is logged in, for the page's head. */
  readonly badge = h("div", { class: "who" });
  private dialog: HTMLDialogElement | null = null;
  /** The role changes no rows: nothing that writes is offered. */
  readOnly = false;

  constructor(private readonly changed: () => void) {}

  /** Tells the role in the badge; asks for a login if there is none. */
  async load(): Promise<void> {
    try {
      const { user, cookie } = await whoAmI();
      const [mayWrite, readOnly] = (await ask(RIGHTS)).rows[0] as [boolean, boolean];
      this.readOnly = readOnly || !mayWrite;
      document.body.classList.toggle("read-only", this.readOnly);
      fill(
        this.badge,
        h("span", { class: "role", title: "The role that statements run as" }, user),
        this.readOnly && h("span", { class: "badge", title: "This role may read, not change rows or tables" }, "read only"),
        cookie && button({ text: "Log out", class: "link" }, () => void this.leave()),
      );
    } catch {
      fill(this.badge); // the login form says what is wrong, or the panel does
    }
  }

  private async leave(): Promise<void> {
    await logout().catch(() => {});
    fill(this.badge);
    this.show();
  }

  /** The form; it goes when the server knows the role. */
  show(): void {
    if (this.dialog) return;
    const name = h("input", { type: "text", name: "user", autocomplete: "username", autocapitalize: "off", spellcheck: "false", required: true, value: "dendro" });
    const password = h("input", { type: "password", name: "password", autocomplete: "current-password", required: true });
    const wrong = h("p", { class: "login-wrong", role: "alert" });
    const enter = h("button", { type: "submit", class: "primary" }, "Log in");
    const form = h(
      "form",
      {
        class: "login", method: "dialog",
        on: {
          submit: (event) => {
            event.preventDefault();
            void this.enter(name, password, wrong, enter);
          },
        },
      },
      h("img", { src: "/console/icon.svg", alt: "", width: 44, height: 44 }),
      h("h2", {}, "Dendro"),
      h("label", {}, "Role", name), h("label", {}, "Password", password), wrong, enter,
    );
    const dialog = h("dialog", { class: "login-dialog", "aria-label": "Log in" }, form);
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    this.dialog = dialog;
    document.body.append(dialog);
    dialog.showModal();
    password.focus();
  }

  private async enter(name: HTMLInputElement, password: HTMLInputElement, wrong: HTMLElement, enter: HTMLButtonElement): Promise<void> {
    enter.disabled = true;
    fill(wrong);
    try {
      await login(name.value, password.value);
      this.dialog?.remove();
      this.dialog = null;
      this.changed();
    } catch (error) {
      fill(wrong, `${errorFrom(error).message}.`.replace(/\.\.$/, "."));
      password.select();
    }
    enter.disabled = false;
  }
}
