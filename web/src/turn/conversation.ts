// The turns of one conversation: the path that is shown, those followed live. A store that React reads; drawn once a
// frame.

import { ApiError, call, id, messageOf } from "../api/client";
import { TRANSIENT, type AnyEvent } from "../api/events";
import type { TurnLine } from "../api/types";
import { Drawing } from "./drawing";
import { fold, foldAll, type Turn } from "./fold";
import { Follower, waitingMessages } from "./follow";
import { entriesOf, withMessages, type Entry, type SentMessage, type Shown } from "./entries";
import { newestAfter, pathTo, type Line } from "./tree";
import { t } from "../language/t";

const SHOWN_TURNS = 20;
const REST_MS = 60_000;

export type { Entry, SentMessage, Shown } from "./entries";

type OnEvent = (event: AnyEvent) => void;

const EMPTY: Shown = { entries: [], earlier: [] };

export class Conversation {
  session: string | null = null;
  private shown = EMPTY;
  private working = EMPTY;
  private readonly drawing = new Drawing(() => {
    this.shown = this.working;
    for (const reader of this.readers) reader();
  });
  private resting = 0;
  // All turns, also those that are not shown.
  private lines: readonly Line[] = [];
  private readonly readers = new Set<() => void>();
  private readonly followers = new Map<string, Follower>();
  // Told every event that is news, and why nothing can be read any more.
  onEvent: OnEvent = () => undefined;
  onRefused: (error: ApiError) => void = () => undefined;

  readonly subscribe = (reader: () => void): (() => void) => {
    this.readers.add(reader);
    return () => this.readers.delete(reader);
  };

  readonly read = (): Shown => this.shown;

  clear(session: string | null): void {
    for (const follower of this.followers.values()) follower.close();
    this.followers.clear();
    this.session = session;
    this.working = EMPTY;
    this.lines = [];
    this.draw();
  }

  // The turns that lead to the newest.
  show(lines: readonly TurnLine[]): void {
    this.clear(this.session);
    this.lines = lines;
    const path = lines.filter((one) => one.on_path);
    this.arrange(path, path.length - SHOWN_TURNS);
  }

  // Has a turn among those shown, also one of another version; whether there is such a turn.
  reveal(turnId: string): boolean {
    if (!this.lines.some((one) => one.id === turnId)) return false;
    while (this.working.earlier.some((one) => one.id === turnId)) this.showEarlier();
    if (!this.working.entries.some((one) => one.turn.id === turnId)) this.choose(turnId);
    return true;
  }

  showEarlier(): void {
    const { earlier, entries } = this.working;
    const shown = pathTo(this.lines, entries.at(-1)?.turn.id ?? "");
    this.arrange(shown, earlier.length - SHOWN_TURNS);
  }

  // What was asked elsewhere since.
  catchUp(lines: readonly TurnLine[]): void {
    const known = new Set(this.lines.map((one) => one.id));
    if (lines.every((one) => known.has(one.id))) return;
    this.lines = lines;
    this.showPath(lines.filter((one) => one.on_path));
  }

  // A turn by its line in a list, or one that was just asked: after the last one shown, or after that one.
  add(line: Omit<Line, "previous_turn_id">, previous = this.leaf): void {
    if (this.lines.some((one) => one.id === line.id)) return;
    this.lines = [...this.lines, { ...line, previous_turn_id: previous }];
    this.showPath(pathTo(this.lines, line.id));
  }

  // Another version of a turn that is shown, with what came after it.
  choose(version: string): void {
    this.showPath(pathTo(this.lines, newestAfter(this.lines, version)));
  }

  // The turn that a turn follows.
  before(turnId: string): string {
    return this.lines.find((one) => one.id === turnId)?.previous_turn_id ?? "";
  }

  // The last turn that is shown.
  get leaf(): string {
    return this.working.entries.at(-1)?.turn.id ?? "";
  }

  // The turn that is not over, if there is one.
  get open(): Turn | null {
    return this.working.entries.findLast((one) => one.live)?.turn ?? null;
  }

  // Messages that the turn will take in.
  steered(turnId: string, ...messages: SentMessage[]): void {
    if (messages.length) this.change(turnId, (one) => ({ ...one, sent: withMessages(one.sent, messages) }));
  }

  withdrawn(turnId: string, number: number): void {
    this.change(turnId, (one) => ({ ...one, sent: one.sent.filter((sent) => sent.number !== number) }));
  }

  visibilityChanged(visible: boolean): void {
    window.clearTimeout(this.resting);
    if (visible) for (const follower of this.followers.values()) follower.wake();
    else this.resting = window.setTimeout(() => this.followers.forEach((one) => one.rest()), REST_MS);
  }

  // As much of it as was shown before, and at least the newest.
  private showPath(path: readonly Line[]): void {
    this.arrange(path, Math.min(this.working.earlier.length, path.length - SHOWN_TURNS));
  }

  private arrange(path: readonly Line[], hidden: number): void {
    const known = new Map(this.working.entries.map((one) => [one.turn.id, one]));
    const begin = Math.max(0, hidden);
    const entries = entriesOf(path.slice(begin), this.lines, known);
    this.working = { entries, earlier: path.slice(0, begin) };
    this.draw();
    const shown = new Set(entries.map((one) => one.turn.id));
    for (const [turnId, follower] of this.followers) if (!shown.has(turnId)) this.leave(turnId, follower);
    for (const { turn, live } of entries) {
      if (known.has(turn.id)) continue;
      if (live) this.follow(turn.id);
      else void this.load(turn.id);
    }
  }

  private leave(turnId: string, follower: Follower): void {
    follower.close();
    this.followers.delete(turnId);
  }

  private async load(turnId: string): Promise<void> {
    try {
      const events = await call<AnyEvent[]>(`api/turns/${id(turnId)}/events?format=json`);
      const since = performance.now();
      this.change(turnId, (entry) => ({ ...entry, events, since, turn: foldAll(entry.turn, events) }));
    } catch (error) {
      this.connection(turnId, t("The steps could not be loaded. {0}", messageOf(error)));
    }
  }

  private follow(turnId: string): void {
    const seq = () => this.working.entries.find((one) => one.turn.id === turnId)?.turn.seq ?? 0;
    const follower = new Follower(turnId, seq, {
      event: (event) => this.take(turnId, event),
      lost: () => this.connection(turnId, t("Connection lost. Reconnecting; nothing is lost.")),
      found: () => this.connection(turnId, ""),
      failed: (error) => (error.status === 401 ? this.onRefused(error) : this.connection(turnId, error.message)),
    });
    this.followers.set(turnId, follower);
    void waitingMessages(turnId).then((sent) => this.steered(turnId, ...sent));
  }

  private take(turnId: string, event: AnyEvent): void {
    let news = false;
    this.change(turnId, (entry) => {
      const turn = fold(entry.turn, event);
      news = turn !== entry.turn;
      if (!news) return entry;
      const stored = !TRANSIENT.has(event.type);
      const events = stored ? [...entry.events, event] : entry.events;
      const since = stored ? performance.now() : entry.since;
      return { ...entry, turn, events, since, live: event.type !== "turn_finished" };
    });
    if (event.type === "turn_finished") this.followers.delete(turnId);
    if (news) this.onEvent(event);
  }

  private connection(turnId: string, text: string): void {
    this.change(turnId, (entry) => (entry.connection === text ? entry : { ...entry, connection: text }));
  }

  private change(turnId: string, make: (entry: Entry) => Entry): void {
    const entries = this.working.entries.map((one) => (one.turn.id === turnId ? make(one) : one));
    this.working = { ...this.working, entries };
    this.draw();
  }

  private readonly draw = (): void => this.drawing.schedule();
}
