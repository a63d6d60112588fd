// Where one asks: a field that grows, Enter to send, and a way to stop.

import { byId, setText } from "./dom.js";

const BUSY = "It is still working on the question before. Esc stops it.";

export class Composer {
  constructor({ ask, stop }) {
    this.field = byId("question");
    this.state = "idle";
    this.ask = ask;
    byId("composer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
    byId("stop").addEventListener("click", stop);
    this.field.addEventListener("keydown", (event) => {
      // While a word is being composed, Enter belongs to the input method.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.send();
    });
    this.field.addEventListener("input", () => this.draw());
    this.draw();
  }

  send() {
    const text = this.field.value.trim();
    if (!text) return;
    if (this.state === "running") {
      this.complain(BUSY);
      return;
    }
    this.ask(text);
  }

  // `idle`, `running` or `paused`, and who would answer.
  set(state, name) {
    if (state !== "running" && byId("problem").textContent === BUSY) this.complain("");
    this.state = state;
    this.name = name;
    this.draw();
  }

  draw() {
    const { state } = this;
    const wishes = {
      idle: `Ask ${this.name ?? ""}…`,
      running: "It is working…",
      paused: "Decide above, or say what to do instead…",
    };
    this.field.placeholder = wishes[state];
    byId("stop").hidden = state === "idle";
    byId("send").hidden = state === "running" || (state === "paused" && !this.field.value.trim());
    setText(
      byId("hint"),
      state === "paused"
        ? "Sending something else cancels what waits"
        : "Enter sends, Shift-Enter starts a line, Esc stops",
    );
    this.field.style.height = "auto";
    this.field.style.height = `${Math.min(this.field.scrollHeight, 240)}px`;
  }

  put(text) {
    this.field.value = text;
    this.draw();
    this.field.focus();
  }

  complain(text, ...choices) {
    byId("problem").replaceChildren(text, ...choices);
  }
}
