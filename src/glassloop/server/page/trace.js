// The trace of a turn: its steps in order, each a title, a time and a line or two; the rest on request.

import { h, setText } from "./dom.js";
import { asTable, linesOf, tableOf } from "./result.js";
import { duration, shown } from "./words.js";

const FIRST_LINES = 4;
const MOST_LINES = 2000;

export class Trace {
  constructor(turn) {
    this.turn = turn;
    this.items = new Map();
    this.open = new Set();
    this.list = h("ol", { class: "steps", onkeydown: (event) => this.move(event) });
    this.streaming = h(
      "li",
      { class: "step streaming" },
      h("span", { class: "badge think", "aria-hidden": "true" }, "…"),
      h("div"),
    );
    this.node = h("div", { class: "trace" }, this.list);
  }

  update() {
    for (const row of this.turn.rows) {
      const item = this.items.get(row.key);
      if (item?.version === row.version) continue;
      const node = this.render(row);
      if (item) item.node.replaceWith(node);
      else this.list.append(node);
      this.items.set(row.key, { node, version: row.version });
    }
    const thought = this.turn.draft?.thought;
    const tool = this.turn.draft?.tool;
    if (!thought && !tool) {
      this.streaming.remove();
      return;
    }
    setText(this.streaming.lastChild, [thought, tool && `${tool}(…)`].filter(Boolean).join("\n"));
    if (this.list.lastChild !== this.streaming) this.list.append(this.streaming);
  }

  // Brings a step into sight and puts the focus on it.
  show(key) {
    const node = this.items.get(key)?.node;
    if (!node) return;
    node.scrollIntoView({ block: "nearest" });
    node.focus({ preventScroll: true });
  }

  ofCall(id) {
    return this.items.get(this.turn.calls.get(id)?.key)?.node ?? null;
  }

  // Lights up where a figure came from: the step, and the lines that have it.
  light(id, found, on) {
    const node = this.ofCall(id);
    if (!node) return;
    node.classList.toggle("lit", on);
    for (const line of node.querySelectorAll(".result .line")) {
      line.classList.toggle("lit", on && Boolean(found) && line.textContent.includes(found));
    }
  }

  move(event) {
    const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    const steps = [...this.list.querySelectorAll(".step[tabindex]")];
    const next = step && steps[steps.indexOf(document.activeElement) + step];
    if (!next || !steps.includes(document.activeElement)) return;
    event.preventDefault();
    next.focus();
  }

  render(row) {
    const took = [row.seconds != null && duration(row.seconds), row.result?.cached && "cached", row.decided].filter(
      Boolean,
    );
    const failed = row.state === "failed" || row.kind === "trouble";
    const badge = h(
      "span",
      { class: `badge ${failed ? "trouble" : row.kind}`, "aria-hidden": row.number === null ? "true" : null },
      row.number === null ? "↳" : String(row.number),
    );
    const head = h(
      "div",
      { class: "head" },
      h("h4", { class: row.kind === "act" ? "tool" : null }, row.title),
      h("span", { class: "took" }, took.join(" · ")),
    );
    return h(
      "li",
      { class: `step ${row.kind}`, tabindex: "-1", "data-call": row.call?.id },
      badge,
      h("div", { class: "what" }, head, this.body(row)),
    );
  }

  body(row) {
    if (row.kind === "act") return [this.parameters(row.call.args), this.state(row)];
    if (row.kind === "plan")
      return h(
        "ol",
        { class: "plan" },
        row.steps.map((step) => h("li", {}, step.description, " ", h("code", {}, step.tool_name))),
      );
    return h("p", { class: "said" }, row.kind === "answer" ? this.checked() : row.text);
  }

  parameters(args) {
    const names = Object.keys(args);
    if (!names.length) return null;
    return h(
      "div",
      { class: "box parameters" },
      names.map((name) => h("div", { class: "line" }, h("span", { class: "key" }, `${name}: `), shown(args[name]))),
    );
  }

  state(row) {
    if (row.result) return this.result(row);
    const words = { running: "running…", waiting: "waits for your decision", ended: "did not end", planned: "" }[
      row.state
    ];
    const text = row.progress || words;
    return text ? h("p", { class: `state ${row.state}` }, text) : null;
  }

  result(row) {
    const { result } = row;
    if (!result.success)
      return h("div", { class: "box result failed" }, h("div", { class: "line" }, result.error || "The tool failed."));
    const rows = tableOf(result.data);
    const lines = rows ?? linesOf(result);
    const all = this.open.has(row.key);
    const some = all || lines.length <= FIRST_LINES + 1 ? lines.slice(0, MOST_LINES) : lines.slice(0, FIRST_LINES);
    const box = h(
      "div",
      { class: `box result${rows ? " scroll" : ""}`, tabindex: rows ? "0" : null },
      rows ? asTable(some) : some.map((line) => h("div", { class: "line" }, line)),
    );
    const hidden = lines.length - some.length;
    if (!all && hidden > 0) box.append(this.more(row, `… ${hidden.toLocaleString("en")} more`));
    else if (hidden > 0)
      box.append(h("div", { class: "line" }, `(${hidden.toLocaleString("en")} more are not shown here)`));
    else if (all) box.append(this.more(row, "less"));
    return box;
  }

  more(row, label) {
    const click = () => {
      if (!this.open.delete(row.key)) this.open.add(row.key);
      row.version += 1;
      this.update();
      this.items.get(row.key).node.querySelector(".more")?.focus();
    };
    return h(
      "button",
      { type: "button", class: "more", "aria-expanded": String(this.open.has(row.key)), onclick: click },
      label,
    );
  }

  checked() {
    const { evidence, evaluation } = this.turn;
    const parts = [];
    if (evidence?.figures.length) parts.push(`${evidence.figures.length} figures, ${evidence.sourced} sourced`);
    if (evaluation) parts.push(`completeness ${evaluation.completeness_score}`, `quality ${evaluation.quality_score}`);
    return parts.join(" · ") || "written";
  }
}
