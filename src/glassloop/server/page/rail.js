// The rail: a turn as one thin bar, one segment a step, as long as it took; it grows while it runs.

import { h } from "./dom.js";
import { kindNow } from "./fold.js";
import { duration } from "./words.js";

const NAMES = { think: "Think", act: "Act", observe: "Check", answer: "Answer", trouble: "Trouble", wait: "Wait" };
// Shares below one would leave a part of the bar empty.
const SHARE = 1000;
const LEAST_S = 0.001;

const share = (seconds) => String(SHARE * Math.max(LEAST_S, seconds));

export class Rail {
  constructor(turn, { opens }) {
    this.turn = turn;
    this.opens = opens;
    this.node = h("div", {
      class: "rail",
      role: "group",
      "aria-label": "Steps of this turn",
      onkeydown: (event) => this.move(event),
    });
    this.parts = [];
    this.live = null;
    this.began = performance.now();
  }

  update() {
    const { segments } = this.turn;
    while (this.parts.length < segments.length) {
      this.parts.push(this.settled(segments[this.parts.length]));
      this.live?.before(this.parts.at(-1));
      if (!this.live) this.node.append(this.parts.at(-1));
      this.began = performance.now();
    }
    const over = this.turn.totals !== null;
    if (over && this.live) {
      this.live.remove();
      this.live = null;
    } else if (!over && !this.live) {
      this.live = h("span", { class: "segment live", "aria-hidden": "true" });
      this.node.append(this.live);
    }
    this.node.hidden = !this.parts.length && !this.live;
    this.grow();
  }

  // While it runs: the last segment is as long as it has taken so far.
  grow() {
    if (!this.live) return;
    const kind = kindNow(this.turn);
    if (!this.live.classList.contains(kind)) {
      this.live.className = `segment live ${kind}`;
      this.began = performance.now();
    }
    if (kind !== "wait") this.live.style.flexGrow = share(this.seconds());
  }

  seconds() {
    return (performance.now() - this.began) / 1000;
  }

  settled(segment) {
    const took = segment.kind === "wait" ? "" : `, ${duration(segment.seconds)}`;
    const node = h("button", {
      type: "button",
      class: `segment ${segment.kind}`,
      title: `${NAMES[segment.kind]}${took}`,
      "aria-label": `${NAMES[segment.kind]}${took}`,
      tabindex: this.parts.length ? "-1" : "0",
      onclick: () => this.opens(segment.row),
    });
    if (segment.kind !== "wait") node.style.flexGrow = share(segment.seconds);
    return node;
  }

  // One stop for the Tab key; arrows go along.
  move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = this.parts.indexOf(event.target);
    const next = step && this.parts[at + step];
    if (!next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}
