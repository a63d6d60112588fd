// The page put together: who is here, which conversation is shown, and what is asked in it.

import { ApiError, call, cancel, trust } from "./api.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { byId, h, setText } from "./dom.js";
import { askKey, explain, uncover } from "./gate.js";
import { Drawer, nameOf, Sidebar } from "./sidebar.js";
import { shorten } from "./words.js";

const ANNOUNCED_CHARS = 1000;
const ANNOUNCE_MS = 700;
const LOOK_MS = 20_000;
const STANDS = ["turn_started", "turn_paused", "turn_resumed", "turn_finished"];

class Page {
  constructor() {
    this.session = null;
    this.assistant = "general";
    this.assistants = [];
    this.others = new BroadcastChannel("glassloop");
    this.sidebar = new Sidebar({ chosen: (name) => this.choose(name) });
    this.drawer = new Drawer();
    this.composer = new Composer({ ask: (text) => this.ask(text), stop: () => this.stop() });
    this.conversation = new Conversation({
      heard: (event) => this.heard(event),
      changed: () => this.others.postMessage("decided"),
      again: (question) => this.composer.put(question),
      refused: (error) => this.refused(error),
      drawn: () => this.drawComposer(),
    });
    addEventListener("hashchange", () => this.route());
    addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("visibilitychange", () => this.catchUp());
    setInterval(() => this.catchUp(), LOOK_MS);
    this.others.onmessage = () => this.catchUp();
    byId("new-chat").addEventListener("click", () => this.newChat());
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      byId("question").focus();
    });
  }

  async start() {
    this.shown = false;
    try {
      const me = await call("api/me");
      trust(me.csrf_token);
      const [assistants, models] = await Promise.all([
        call("api/assistants"),
        call("api/models"),
        this.sidebar.refresh(),
      ]);
      this.assistants = assistants;
      if (!assistants.some((one) => one.name === this.assistant)) this.assistant = assistants[0]?.name ?? "general";
      this.sidebar.showAssistants(assistants, this.assistant);
      this.sidebar.showAbout(me, models.default, () => this.leave());
      uncover();
      await this.route();
    } catch (error) {
      this.refused(error);
    }
  }

  refused(error) {
    this.shown = false;
    if (error instanceof ApiError && error.status === 401) askKey(() => this.start());
    else explain(error.message, () => this.start());
  }

  async leave() {
    await call("api/sign-out", {}).catch(() => null);
    this.conversation.clear();
    location.hash = "#/";
    this.start();
  }

  choose(name) {
    this.assistant = name;
    if (!this.session) this.greet();
    this.drawComposer();
  }

  newChat() {
    this.drawer.close();
    location.hash = "#/";
    byId("question").focus();
  }

  async route() {
    if (location.hash && !location.hash.startsWith("#/")) return;
    const found = location.hash.match(/^#\/s\/([\w.:@%-]+)$/);
    const session = found ? decodeURIComponent(found[1]) : null;
    this.drawer.close();
    if (session === this.session && this.shown) return;
    this.shown = true;
    this.session = session;
    this.sidebar.mark(session);
    this.composer.complain("");
    if (session) await this.openSession(session);
    else this.greet();
    this.drawComposer();
  }

  greet() {
    this.setTitle("New chat");
    const assistant = this.assistants.find((one) => one.name === this.assistant);
    const offered = (assistant?.questions ?? [])
      .slice(0, 3)
      .map((question) =>
        h("li", {}, h("button", { type: "button", class: "plain", onclick: () => this.ask(question) }, question)),
      );
    const example = offered.length ? h("p", { class: "hint" }, "For example:") : null;
    this.conversation.say(
      h(
        "section",
        { class: "empty" },
        h("h2", {}, `Ask ${nameOf(this.assistant)}`),
        h("p", {}, assistant?.description || "Ask, and watch every step."),
        example,
        h("ul", {}, offered),
      ),
    );
  }

  async openSession(id) {
    this.conversation.clear();
    try {
      const { session, turns } = await call(`api/sessions/${encodeURIComponent(id)}`);
      if (this.session !== id) return;
      this.setTitle(session.title || "Untitled");
      if (this.assistants.some((one) => one.name === session.assistant)) {
        this.assistant = session.assistant;
        this.sidebar.select(this.assistant);
      }
      this.conversation.show(turns);
    } catch (error) {
      if (error.status === 401) this.refused(error);
      else this.cannotOpen(error);
    }
  }

  cannotOpen(error) {
    this.setTitle("Not found");
    const fresh = h("button", { type: "button", class: "primary", onclick: () => this.newChat() }, "New chat");
    const what =
      error.status === 404 || error.status === 422
        ? "There is no such conversation, or it is somebody else's."
        : error.message;
    this.conversation.say(
      h(
        "section",
        { class: "empty", role: "alert" },
        h("h2", {}, "This conversation cannot be shown"),
        h("p", {}, what),
        fresh,
      ),
    );
  }

  heard(event) {
    if (event.type === "tool_called") this.announce(`Using ${event.call.tool}`);
    else if (event.type === "approval_requested") this.announce(`${event.call.tool} needs your decision`);
    else if (event.type === "answer_given")
      this.announce(event.text.length > ANNOUNCED_CHARS ? "The answer is there" : `Answer: ${event.text}`);
    else if (event.type === "turn_finished" && event.status !== "completed") this.announce(event.error || "Stopped");
    if (STANDS.includes(event.type)) this.sidebar.refresh().catch(() => null);
  }

  drawComposer() {
    const { open } = this.conversation;
    this.composer.set(!open ? "idle" : open.status === "paused" ? "paused" : "running", nameOf(this.assistant));
  }

  async ask(question, { supersedes = false } = {}) {
    const waits = this.conversation.open?.status === "paused";
    const asked = { question, assistant: this.assistant, supersedes: supersedes || waits };
    if (this.session) asked.session_id = this.session;
    this.composer.complain("");
    byId("send").disabled = true;
    this.asking = true;
    this.takenBack = false;
    try {
      const taken = await call("api/turns", asked);
      this.composer.put("");
      if (!this.session) this.setTitle(shorten(question, 80));
      this.session = taken.session_id;
      location.hash = `#/s/${encodeURIComponent(taken.session_id)}`;
      this.conversation.add({ id: taken.turn_id, question, status: "running" });
      this.conversation.toEnd();
      this.sidebar.mark(taken.session_id);
      this.others.postMessage("asked");
      if (this.takenBack) this.stop();
    } catch (error) {
      this.notAsked(error, question);
    } finally {
      this.asking = false;
      byId("send").disabled = false;
      this.drawComposer();
    }
  }

  notAsked(error, question) {
    this.composer.put(question);
    if (error.status === 401) this.refused(error);
    else if (error.status !== 409) this.composer.complain(error.message);
    else {
      const instead = h(
        "button",
        { type: "button", class: "more", onclick: () => this.ask(question, { supersedes: true }) },
        "Stop that and ask this",
      );
      this.composer.complain("Another question of this conversation is not over yet. ", instead);
      this.catchUp();
    }
  }

  async stop() {
    const { open } = this.conversation;
    if (!open) return;
    try {
      await cancel(open.id);
      this.others.postMessage("stopped");
    } catch (error) {
      this.composer.complain(`It could not be stopped. ${error.message}`);
    }
  }

  // What waits for a decision is not stopped by a key that one may press in passing.
  key(event) {
    if (event.key !== "Escape" || event.isComposing) return;
    if (this.drawer.open) this.drawer.close();
    else if (this.asking) this.takenBack = true;
    else if (this.conversation.open?.status === "running") this.stop();
  }

  // Something may have happened elsewhere: in another tab, or while nobody looked.
  async catchUp() {
    if (document.hidden || !this.shown) return;
    const { session } = this;
    try {
      await this.sidebar.refresh();
      if (!session) return;
      const { turns } = await call(`api/sessions/${encodeURIComponent(session)}`);
      if (session === this.session) this.conversation.catchUp(turns);
      this.drawComposer();
    } catch (error) {
      if (error.status === 401) this.refused(error);
    }
  }

  setTitle(title) {
    setText(byId("title"), title);
    document.title = title === "New chat" ? "Glassloop" : `${shorten(title, 60)} · Glassloop`;
  }

  // Only the latest, and not too often: a screen reader is told what happens, not every word of it.
  announce(text) {
    this.saying = text;
    this.said ??= setTimeout(() => {
      this.said = null;
      byId("status").textContent = this.saying;
    }, ANNOUNCE_MS);
  }
}

new Page().start();
