// A turn in the conversation: the question, its rail, what waits for a decision, the answer with its evidence.

import { Approval } from "./approval.js";
import { h, setText } from "./dom.js";
import { marking } from "./evidence.js";
import { kindNow } from "./fold.js";
import { markdown } from "./markdown.js";
import { Rail } from "./rail.js";
import { Trace } from "./trace.js";
import { count, duration, money, when } from "./words.js";

const DRAFT_CHARS = 20_000;
const DOING = { think: "thinking", act: "running", answer: "writing", wait: "waiting for you" };

export class TurnView {
  constructor(turn, { changed, again, opensTrace }) {
    this.turn = turn;
    this.tell = { changed, again, opensTrace };
    this.trace = new Trace(turn);
    for (const kind of ["mouseover", "mouseleave"])
      this.trace.node.addEventListener(kind, (event) => this.lightFigures(event));
    this.rail = new Rail(turn, { opens: (key) => this.openStep(key) });
    this.cards = new Map();
    this.question = h("p", { class: "question" });
    this.meta = h("p", { class: "meta" });
    this.line = h("p", { class: "connection", hidden: true });
    this.fold = h("details", { class: "fold", open: true }, h("summary", {}, "Trace"));
    this.answer = h("div", { class: "answer" });
    this.approvals = h("div");
    this.problem = h("div");
    this.beside = h("button", { type: "button", class: "plain", onclick: () => this.openStep(null) }, "Trace");
    this.actions = h("div", { class: "actions" }, this.beside);
    this.node = h(
      "article",
      { class: "turn", "aria-label": "Turn" },
      this.question,
      this.rail.node,
      this.meta,
      this.line,
      this.approvals,
      this.answer,
      this.problem,
      this.actions,
      this.fold,
    );
  }

  // Where the trace stands: in the panel beside, or folded under the answer.
  place(wide, panel) {
    const target = panel ?? this.fold;
    if (this.trace.node.parentNode !== target) target.append(this.trace.node);
    this.fold.hidden = wide;
    this.beside.hidden = !wide || Boolean(panel);
  }

  openStep(key) {
    this.tell.opensTrace(this);
    this.fold.open = true;
    if (key) this.trace.show(key);
  }

  connection(text) {
    setText(this.line, text);
    this.line.hidden = !text;
  }

  update() {
    const { turn } = this;
    setText(this.question, turn.question);
    this.rail.update();
    this.trace.update();
    this.tick();
    for (const approval of turn.approvals.values()) {
      const id = approval.request.call.id;
      let card = this.cards.get(id);
      if (!card) {
        card = new Approval(turn.id, approval, { changed: this.tell.changed });
        this.cards.set(id, card);
        this.approvals.append(card.node);
      }
      card.update();
    }
    this.node.setAttribute("aria-busy", String(turn.totals === null && turn.status === "running"));
    this.showAnswer();
    if (turn.totals && !this.over) this.finish();
    else if (turn.status !== this.status) this.fold.open = turn.status === "running";
    this.status = turn.status;
  }

  // Called every moment while it runs.
  tick() {
    const { turn } = this;
    this.rail.grow();
    setText(this.meta, turn.totals ? this.summary() : this.doing());
  }

  doing() {
    const { turn } = this;
    const kind = kindNow(turn);
    const tool =
      kind === "act"
        ? [...turn.calls.values()]
            .filter((row) => row.state === "running")
            .map((row) => row.title)
            .join(", ")
        : "";
    const doing = turn.remark || [DOING[kind], tool].filter(Boolean).join(" ");
    return [
      doing,
      turn.steps && `${count(turn.steps, "step")} so far`,
      kind !== "wait" && duration(this.rail.seconds()),
    ]
      .filter(Boolean)
      .join("  ·  ");
  }

  summary() {
    const { totals, evidence, command } = this.turn;
    const parts = [count(totals.tool_calls, "tool"), count(totals.iterations, "step"), duration(totals.seconds)];
    const tokens = totals.input_tokens + totals.output_tokens;
    if (tokens) parts.push(count(tokens, "token"), money(totals.cost, totals.unpriced_calls));
    if (evidence?.figures.length && !command && this.turn.answer) {
      const all = evidence.sourced === evidence.figures.length;
      parts.push(
        all
          ? `all ${count(evidence.figures.length, "figure")} sourced`
          : `${evidence.sourced} of ${count(evidence.figures.length, "figure")} sourced`,
      );
    }
    return parts.join("  ·  ");
  }

  showAnswer() {
    const { turn } = this;
    const given = turn.answer;
    const text = given ? given.text : (turn.draft?.text ?? "");
    const state = `${given ? "given" : "draft"} ${text.length} ${turn.draft?.block}`;
    if (state === this.drawn) return;
    this.drawn = state;
    this.answer.classList.toggle("draft", !given && text !== "");
    if (!text) this.answer.replaceChildren();
    else if (turn.command || (!given && text.length > DRAFT_CHARS))
      this.answer.replaceChildren(h("div", { class: "prose verbatim" }, text));
    else this.answer.replaceChildren(markdown(text, given && turn.evidence ? this.marking(text) : undefined));
    if (given?.partial)
      this.answer.append(h("p", { class: "cut" }, "Cut short: the turn ended while this was being written."));
  }

  marking(text) {
    return marking(this.turn, text, {
      open: (id) => this.openStep(this.turn.calls.get(id).key),
      light: (figure, on) => this.trace.light(figure.source, figure.found, on),
    });
  }

  // Over a step, the figures that came from it light up.
  lightFigures(event) {
    const id = event.type === "mouseover" ? event.target.closest(".step")?.dataset.call : undefined;
    for (const figure of this.answer.querySelectorAll(".figure.sourced")) {
      figure.classList.toggle("lit", id !== undefined && figure.dataset.source === id);
    }
  }

  finish() {
    const { turn } = this;
    this.over = true;
    this.fold.open = false;
    this.meta.title = turn.startedAt ? when(turn.startedAt) : "";
    if (turn.evidence?.figures.some((figure) => figure.source === null) && turn.answer && !turn.command)
      this.meta.classList.add("unsourced");
    if (turn.status === "failed" || turn.status === "cancelled") this.failed();
    if (turn.answer && navigator.clipboard) {
      const copied = async (event) => {
        await navigator.clipboard.writeText(turn.answer.text);
        event.target.textContent = "Copied";
      };
      this.actions.prepend(h("button", { type: "button", class: "plain", onclick: copied }, "Copy"));
    }
  }

  failed() {
    const { turn } = this;
    const what = turn.status === "cancelled" ? "Stopped." : turn.error || "The turn failed.";
    const again = h(
      "button",
      { type: "button", class: "plain", onclick: () => this.tell.again(turn.question) },
      "Ask again",
    );
    this.problem.append(h("div", { class: `ending ${turn.status}` }, h("p", {}, what), again));
  }
}
