// The turns of one conversation: those shown, those followed live. A store that React reads; drawn once a frame.

import { ApiError, call, id, messageOf } from "../api/client";
import { TRANSIENT, type AnyEvent } from "../api/events";
import type { TurnLine } from "../api/types";
import { fold, foldAll, newTurn, type Turn } from "./fold";
import { Follower } from "./follow";

const SHOWN_TURNS = 20;
const REST_MS = 60_000;
const HIDDEN_DRAW_MS = 200;
const DRAW_MS = 45;

export interface Entry {
  readonly turn: Turn;
  // The durable ones, as they came: what the raw view shows and a replay goes through.
  readonly events: readonly AnyEvent[];
  readonly connection: string;
  readonly live: boolean;
  // When it last changed, by this machine's own clock.
  readonly since: number;
  // What was sent to the turn from this page, perhaps not taken in yet.
  readonly sent: readonly SentMessage[];
}

export interface SentMessage {
  readonly number: number;
  readonly text: string;
}

export interface Shown {
  readonly entries: readonly Entry[];
  readonly earlier: readonly TurnLine[];
}

type Line = Pick<TurnLine, "id" | "question" | "status">;
type OnEvent = (event: AnyEvent) => void;

const EMPTY: Shown = { entries: [], earlier: [] };

export class Conversation {
  session: string | null = null;
  private shown = EMPTY;
  private working = EMPTY;
  private waiting = false;
  private drawn = 0;
  private resting = 0;
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
    this.draw();
  }

  show(lines: readonly TurnLine[]): void {
    this.clear(this.session);
    this.working = { entries: [], earlier: lines.slice(0, -SHOWN_TURNS) };
    for (const line of lines.slice(-SHOWN_TURNS)) this.add(line);
  }

  showEarlier(): void {
    const { earlier } = this.working;
    const lines = earlier.slice(-SHOWN_TURNS);
    this.working = { ...this.working, earlier: earlier.slice(0, -SHOWN_TURNS) };
    for (const line of [...lines].reverse()) this.add(line, true);
  }

  // What was asked elsewhere since.
  catchUp(lines: readonly TurnLine[]): void {
    const { entries, earlier } = this.working;
    const known = new Set([...entries.map((one) => one.turn.id), ...earlier.map((one) => one.id)]);
    for (const line of lines) if (!known.has(line.id)) this.add(line);
  }

  // A turn by its line in a list, or one that was just asked.
  add(line: Line, first = false): void {
    if (this.working.entries.some((one) => one.turn.id === line.id)) return;
    const live = line.status === "running" || line.status === "paused";
    const turn = { ...newTurn(line.id, line.question), status: live ? "running" : line.status } as Turn;
    const entry: Entry = { turn, events: [], connection: "", live, since: performance.now(), sent: [] };
    const { entries } = this.working;
    this.working = { ...this.working, entries: first ? [entry, ...entries] : [...entries, entry] };
    this.draw();
    if (live) this.follow(line.id);
    else void this.load(line.id);
  }

  // The turn that is not over, if there is one.
  get open(): Turn | null {
    return this.working.entries.findLast((one) => one.live)?.turn ?? null;
  }

  // A message that its turn will take in.
  steered(turnId: string, message: SentMessage): void {
    this.change(turnId, (entry) => ({ ...entry, sent: [...entry.sent, message] }));
  }

  visibilityChanged(visible: boolean): void {
    window.clearTimeout(this.resting);
    if (visible) for (const follower of this.followers.values()) follower.wake();
    else this.resting = window.setTimeout(() => this.followers.forEach((one) => one.rest()), REST_MS);
  }

  private async load(turnId: string): Promise<void> {
    try {
      const events = await call<AnyEvent[]>(`api/turns/${id(turnId)}/events?format=json`);
      this.change(turnId, (entry) => ({
        ...entry,
        events,
        turn: foldAll(entry.turn, events),
        since: performance.now(),
      }));
    } catch (error) {
      this.connection(turnId, `The steps could not be loaded. ${messageOf(error)}`);
    }
  }

  private follow(turnId: string): void {
    const seq = () => this.working.entries.find((one) => one.turn.id === turnId)?.turn.seq ?? 0;
    const follower = new Follower(turnId, seq, {
      event: (event) => this.take(turnId, event),
      lost: () => this.connection(turnId, "The connection was lost. Trying again; nothing is lost."),
      found: () => this.connection(turnId, ""),
      failed: (error) => (error.status === 401 ? this.onRefused(error) : this.connection(turnId, error.message)),
    });
    this.followers.set(turnId, follower);
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

  // At once after a pause, and then so often that it reads as flowing, however many events come.
  private draw(): void {
    if (this.waiting) return;
    this.waiting = true;
    const now = () => {
      this.waiting = false;
      this.drawn = performance.now();
      this.shown = this.working;
      for (const reader of this.readers) reader();
    };
    const wait = this.drawn + DRAW_MS - performance.now();
    if (document.hidden) window.setTimeout(now, HIDDEN_DRAW_MS);
    else if (wait > 0) window.setTimeout(() => requestAnimationFrame(now), wait);
    else requestAnimationFrame(now);
  }
}
