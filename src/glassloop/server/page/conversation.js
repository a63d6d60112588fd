// The turns of one conversation: those shown, those followed live, and where their traces stand.

import { events, Follower } from "./api.js";
import { byId, h } from "./dom.js";
import { apply, newTurn } from "./fold.js";
import { TurnView } from "./turn.js";

const SHOWN_TURNS = 20;
const NEAR_PX = 80;
const REST_MS = 60_000;

export class Conversation {
  // `heard` is told every event that is news, `changed` that a person decided something here.
  constructor({ heard, changed, again, refused, drawn }) {
    this.tell = { heard, changed, again, refused, drawn };
    this.place = byId("conversation");
    this.panel = byId("trace-panel");
    this.wide = matchMedia("(min-width: 1180px)");
    this.dirty = new Set();
    this.followers = new Map();
    this.clear();
    this.wide.addEventListener("change", () => this.placeTraces());
    document.addEventListener("visibilitychange", () => this.looked(!document.hidden));
    this.place.addEventListener(
      "scroll",
      () => (this.atEnd = this.place.scrollHeight - this.place.scrollTop - this.place.clientHeight < NEAR_PX),
    );
    setInterval(() => this.tick(), matchMedia("(prefers-reduced-motion: reduce)").matches ? 1000 : 100);
  }

  clear() {
    for (const follower of this.followers.values()) follower.close();
    this.followers.clear();
    this.views = [];
    this.earlier = [];
    this.active = null;
    this.atEnd = true;
    this.place.replaceChildren();
    this.panel.hidden = true;
  }

  // Instead of turns: a greeting, or why there are none.
  say(node) {
    this.clear();
    this.place.append(node);
  }

  show(lines) {
    this.clear();
    this.earlier = lines.slice(0, -SHOWN_TURNS);
    this.offerEarlier();
    for (const line of lines.slice(-SHOWN_TURNS)) this.add(line);
  }

  // What was asked elsewhere since.
  catchUp(lines) {
    const known = new Set([...this.views.map((view) => view.turn.id), ...this.earlier.map((line) => line.id)]);
    for (const line of lines) if (!known.has(line.id)) this.add(line);
  }

  offerEarlier() {
    if (!this.earlier.length) return;
    const show = (event) => {
      event.target.remove();
      const lines = this.earlier.splice(-SHOWN_TURNS);
      for (const line of lines.reverse()) this.add(line, { first: true });
      this.offerEarlier();
    };
    this.place.prepend(
      h("button", { type: "button", class: "plain earlier", onclick: show }, "Show earlier questions"),
    );
  }

  // A turn by its line in a list, or one that was just asked.
  add(line, { first = false } = {}) {
    const view = new TurnView(newTurn(line.id, line.question), {
      changed: this.tell.changed,
      again: this.tell.again,
      opensTrace: (which) => this.activate(which),
    });
    if (first) {
      this.views.unshift(view);
      this.place.querySelector(".turn")?.before(view.node);
      this.placeTraces();
    } else {
      this.place.querySelector(".empty")?.remove();
      this.views.push(view);
      this.place.append(view.node);
      this.activate(view);
    }
    if (line.status === "running" || line.status === "paused") this.follow(view);
    else this.load(view);
  }

  async load(view) {
    try {
      for (const event of await events(view.turn.id)) apply(view.turn, event);
      this.draw(view);
    } catch (error) {
      view.connection(`The steps could not be loaded. ${error.message}`);
    }
  }

  follow(view) {
    const { turn } = view;
    this.draw(view);
    const follower = new Follower(turn.id, () => turn.seq, {
      event: (event) => this.heard(view, event),
      lost: () => view.connection("The connection was lost. Trying again; nothing is lost."),
      found: () => view.connection(""),
      failed: (error) => (error.status === 401 ? this.tell.refused(error) : view.connection(error.message)),
    });
    this.followers.set(turn.id, follower);
  }

  looked(at) {
    clearTimeout(this.resting);
    if (at) for (const follower of this.followers.values()) follower.wake();
    else this.resting = setTimeout(() => this.followers.forEach((follower) => follower.rest()), REST_MS);
  }

  heard(view, event) {
    if (!apply(view.turn, event)) return;
    if (event.type === "turn_finished") this.followers.delete(view.turn.id);
    this.draw(view);
    this.tell.heard(event);
  }

  // Draws once a frame, however many events came.
  draw(view) {
    if (!this.dirty.size) {
      if (document.hidden) setTimeout(() => this.drawn(), 200);
      else requestAnimationFrame(() => this.drawn());
    }
    this.dirty.add(view);
  }

  drawn() {
    for (const view of this.dirty) view.update();
    this.dirty.clear();
    this.tell.drawn();
    this.stay();
  }

  // Whoever is at the end stays there while it grows; whoever reads further up is left alone.
  stay() {
    if (this.atEnd) this.place.scrollTop = this.place.scrollHeight;
  }

  toEnd() {
    this.atEnd = true;
    this.stay();
  }

  tick() {
    for (const view of this.views) if (this.followers.has(view.turn.id)) view.tick();
  }

  activate(view) {
    this.active = view;
    this.placeTraces();
  }

  placeTraces() {
    const wide = this.wide.matches;
    this.panel.hidden = !wide || !this.active;
    for (const view of this.views) view.place(wide, wide && view === this.active ? this.panel : null);
    if (!this.panel.hidden) this.panel.replaceChildren(h("h2", {}, "Trace"), this.active.trace.node);
  }

  // The turn that is not over, if there is one.
  get open() {
    return this.views.findLast((view) => this.followers.has(view.turn.id))?.turn ?? null;
  }
}
