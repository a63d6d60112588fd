// The side of the page: assistants to choose from, conversations to go back to, and who is here.

import { call } from "./api.js";
import { byId, h } from "./dom.js";
import { day } from "./words.js";

const PAGE = 50;

export class Sidebar {
  constructor({ chosen }) {
    this.chosen = chosen;
    this.sessions = [];
    this.current = null;
    this.asked = PAGE;
  }

  showAssistants(assistants, selected) {
    const choices = assistants.map((one) => {
      const input = h("input", {
        type: "radio",
        name: "assistant",
        value: one.name,
        checked: one.name === selected,
        onchange: () => this.chosen(one.name),
      });
      return h("label", { class: "row", title: one.description }, input, h("span", {}, nameOf(one.name)));
    });
    byId("assistants").replaceChildren(h("legend", {}, "Assistants"), ...choices);
  }

  select(name) {
    const input = byId("assistants").querySelector(`input[value="${CSS.escape(name)}"]`);
    if (input) input.checked = true;
  }

  showAbout(me, model, leave) {
    const who = me.auth === "local" ? "this machine only" : me.user;
    const out = me.csrf_token ? h("button", { type: "button", class: "more", onclick: leave }, "Sign out") : null;
    byId("about").replaceChildren(h("p", {}, model), h("p", {}, who), out ?? "");
  }

  async refresh() {
    this.sessions = await call(`api/sessions?limit=${this.asked}`);
    this.draw();
  }

  mark(session) {
    this.current = session;
    this.draw();
  }

  draw() {
    const days = new Map();
    for (const session of this.sessions) {
      const name = day(session.last_active);
      days.set(name, [...(days.get(name) ?? []), session]);
    }
    const groups = [...days].map(([name, sessions]) =>
      h(
        "section",
        { class: "group" },
        h("h2", {}, name),
        h(
          "ul",
          {},
          sessions.map((session) => h("li", {}, this.link(session))),
        ),
      ),
    );
    const more = async () => {
      this.asked = Math.min(1000, this.asked + PAGE);
      await this.refresh();
    };
    const full = this.sessions.length === this.asked && this.asked < 1000;
    const held = document.activeElement?.closest?.("#sessions a")?.getAttribute("href");
    byId("sessions").replaceChildren(
      ...groups,
      full ? h("button", { type: "button", class: "more", onclick: more }, "Show more") : "",
    );
    if (held)
      byId("sessions")
        .querySelector(`a[href="${CSS.escape(held)}"]`)
        ?.focus();
  }

  link(session) {
    const waits = session.status === "awaiting_approval";
    const dot = waits ? h("span", { class: "waits" }, "waits") : null;
    const current = session.id === this.current ? "page" : null;
    return h(
      "a",
      { class: "row", href: `#/s/${encodeURIComponent(session.id)}`, "aria-current": current },
      h("span", { class: "name" }, session.title || "Untitled"),
      dot,
    );
  }
}

export const nameOf = (name) => name.charAt(0).toUpperCase() + name.slice(1);

// The narrow page has it as a drawer: the rest of the page cannot be reached while it is open.
export class Drawer {
  constructor() {
    this.narrow = matchMedia("(max-width: 800px)");
    this.narrow.addEventListener("change", () => this.close());
    byId("menu").addEventListener("click", () => this.show());
    byId("scrim").addEventListener("click", () => this.close());
    byId("sidebar").addEventListener("click", (event) => event.target.closest("a") && this.close());
    this.close();
  }

  get open() {
    return this.narrow.matches && document.body.classList.contains("drawer");
  }

  show() {
    document.body.classList.add("drawer");
    byId("sidebar").inert = false;
    byId("main").inert = true;
    byId("menu").setAttribute("aria-expanded", "true");
    byId("new-chat").focus();
  }

  close() {
    const was = this.open;
    document.body.classList.remove("drawer");
    byId("sidebar").inert = this.narrow.matches;
    byId("main").inert = false;
    byId("menu").setAttribute("aria-expanded", "false");
    if (was) byId("menu").focus();
  }
}
