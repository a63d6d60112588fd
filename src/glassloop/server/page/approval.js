// The card of an approval: what will happen, shown exactly; approve, edit, refuse. Bound to what is shown by its digest.

import { ApiError, decide } from "./api.js";
import { h } from "./dom.js";
import { exact, preview } from "./exact.js";
import { shown } from "./words.js";

export class Approval {
  constructor(turnId, approval, { changed }) {
    this.turnId = turnId;
    this.approval = approval;
    this.changed = changed;
    const { request } = approval;
    this.id = `approval-${turnId}-${request.call.id}`.replace(/[^\w-]/g, "_");
    this.node = h("section", {
      class: "approval",
      tabindex: "0",
      "aria-labelledby": this.id,
      onkeydown: (event) => this.key(event),
    });
    this.problem = h("p", { class: "problem", role: "alert" });
    this.render();
  }

  key(event) {
    if (event.key === "Enter" && event.target === this.node && !this.over) {
      event.preventDefault();
      this.send({ approved: true });
    }
  }

  update() {
    const decided = this.approval.decision || this.approval.void;
    if (decided && !this.over) {
      const held = this.node.contains(document.activeElement);
      this.over = true;
      this.render();
      if (held) this.node.focus();
    }
  }

  render() {
    const { request } = this.approval;
    const again = request.reason === "outcome_unknown";
    const asks = again ? " may have run already. Run it again?" : " needs your approval";
    const head = h(
      "header",
      {},
      h("h3", { id: this.id }, h("code", {}, exact(request.call.tool)), this.over ? `: ${this.outcome()}` : asks),
    );
    const bound = h(
      "p",
      { class: "bound" },
      `Bound to exactly this (${request.digest.slice(0, 12)}). If anything changes, you will be asked again.`,
    );
    this.node.classList.toggle("over", Boolean(this.over));
    if (this.over) {
      this.node.replaceChildren(head, h("details", {}, h("summary", {}, "What was shown"), this.what(request)));
      return;
    }
    this.foot = this.choices();
    this.node.replaceChildren(head, this.what(request), this.foot, this.problem, bound);
  }

  what(request) {
    const lines = Object.entries(request.call.args).map(([name, given]) =>
      h(
        "div",
        { class: "line" },
        h("span", { class: "key" }, `${exact(name)}: `),
        exact(typeof given === "string" && given.includes("\n") ? `\n${given}` : shown(given)),
      ),
    );
    return h(
      "div",
      { class: "shown" },
      lines.length ? h("div", { class: "parameters" }, lines) : null,
      preview(request.preview),
    );
  }

  choices() {
    const button = (label, kind, onclick) => h("button", { type: "button", class: kind, onclick }, label);
    return h(
      "div",
      { class: "choices" },
      button("Approve", "primary", () => this.send({ approved: true })),
      button("Edit", "plain", () => this.edit()),
      button("Refuse…", "plain", () => this.refuse()),
    );
  }

  outcome() {
    const { decision } = this.approval;
    if (!decision) return "nothing was decided, the turn is over";
    if (!decision.approved) return decision.reason ? `refused, ${exact(decision.reason)}` : "refused";
    return decision.args ? `approved as ${exact(JSON.stringify(decision.args))}` : "approved";
  }

  // Every parameter in a field of its own: text as it is, anything else as JSON.
  edit() {
    const { args } = this.approval.request.call;
    const fields = Object.entries(args).map(([name, given], place) => {
      const id = `${this.id}-${place}`;
      const text = typeof given === "string";
      const area = h("textarea", {
        id,
        rows: String(Math.min(12, (text ? given : JSON.stringify(given, null, 2)).split("\n").length)),
      });
      area.value = text ? given : JSON.stringify(given, null, 2);
      return { name, text, area, node: h("p", {}, h("label", { for: id }, text ? name : `${name} (JSON)`), area) };
    });
    const read = () =>
      Object.fromEntries(fields.map(({ name, text, area }) => [name, text ? area.value : parsed(name, area.value)]));
    this.form(
      "Approve these",
      fields.map((field) => field.node),
      () => ({ approved: true, args: read() }),
    );
    (fields[0]?.area ?? this.foot.querySelector("button")).focus();
  }

  refuse() {
    const id = `${this.id}-reason`;
    const area = h("textarea", { id, rows: "2", maxlength: "2000" });
    this.form(
      "Refuse",
      [h("p", {}, h("label", { for: id }, "Why not? The model is told; may be empty."), area)],
      () => ({ approved: false, reason: area.value }),
    );
    area.focus();
  }

  form(label, fields, decision) {
    const back = () => {
      this.problem.textContent = "";
      this.render();
      this.node.focus();
    };
    const submit = (event) => {
      event.preventDefault();
      try {
        this.send(decision());
      } catch (error) {
        this.problem.textContent = error.message;
      }
    };
    const keys = (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      back();
    };
    const buttons = h(
      "div",
      { class: "choices" },
      h("button", { type: "submit", class: "primary" }, label),
      h("button", { type: "button", class: "plain", onclick: back }, "Back"),
    );
    const form = h("form", { class: "decision", onsubmit: submit, onkeydown: keys }, fields, buttons);
    this.foot.replaceWith(form);
    this.foot = form;
  }

  async send(decision) {
    const { request } = this.approval;
    const buttons = [...this.node.querySelectorAll("button")];
    for (const button of buttons) button.disabled = true;
    this.problem.textContent = "";
    try {
      await decide(this.turnId, { call_id: request.call.id, digest: request.digest, reason: "", ...decision });
      this.changed();
    } catch (error) {
      const stale = error instanceof ApiError && error.status === 409;
      this.problem.textContent = stale
        ? "This was decided elsewhere, or has changed: look at what it says now."
        : error.message;
    } finally {
      for (const button of buttons) button.disabled = false;
    }
  }
}

function parsed(name, text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is no JSON (${error.message}): write text in quotes, or a number, a list or an object.`);
  }
}
