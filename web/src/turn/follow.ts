// Follows one turn until it is finished, however often the connection is cut.

import { ApiError, call, id, ROOT } from "../api/client";
import { KINDS, type AnyEvent } from "../api/events";
import type { WaitingMessage } from "../api/types";

// What was sent to a turn that it has not read yet: from an earlier visit, or another tab.
export const waitingMessages = (turnId: string): Promise<readonly WaitingMessage[]> =>
  call<readonly WaitingMessage[]>(`api/turns/${id(turnId)}/messages`).catch(() => []);

const RETRY_MS = [500, 1000, 2000, 4000, 8000, 15_000];

export interface FollowerListener {
  event: (event: AnyEvent) => void;
  lost: () => void;
  found: () => void;
  failed: (error: ApiError) => void;
}

export class Follower {
  private source: EventSource | null = null;
  private tries = 0;
  private timer = 0;
  private closed = false;
  private resting = false;

  // `after` tells the last event known.
  constructor(
    private readonly turn: string,
    private readonly after: () => number,
    private readonly listener: FollowerListener,
  ) {
    this.open();
  }

  private open(): void {
    const source = new EventSource(
      `${ROOT}api/turns/${id(this.turn)}/events?through_pauses=true&after=${this.after()}`,
    );
    this.source = source;
    source.onopen = () => {
      this.tries = 0;
      this.listener.found();
    };
    source.onerror = () => this.cut(source);
    for (const kind of KINDS) {
      source.addEventListener(kind, (message: MessageEvent<string>) => {
        this.listener.event(JSON.parse(message.data) as AnyEvent);
        if (kind === "turn_finished") this.close();
      });
    }
  }

  // The browser comes back by itself, with the last event it has; unless the server refused: then we do.
  private cut(source: EventSource): void {
    if (this.closed || this.resting) return;
    this.listener.lost();
    if (source.readyState !== EventSource.CLOSED) return;
    const wait = RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)];
    this.tries += 1;
    this.timer = window.setTimeout(() => void this.again(), wait);
  }

  private async again(): Promise<void> {
    try {
      await call(`api/turns/${id(this.turn)}`);
    } catch (error) {
      if (error instanceof ApiError && [401, 403, 404].includes(error.status)) {
        this.close();
        this.listener.failed(error);
        return;
      }
    }
    if (!this.closed && !this.resting) this.open();
  }

  // A browser has few connections for all of its tabs: one that nobody looks at gives its own back.
  rest(): void {
    this.resting = true;
    window.clearTimeout(this.timer);
    this.source?.close();
  }

  wake(): void {
    if (!this.resting) return;
    this.resting = false;
    if (!this.closed) this.open();
  }

  close(): void {
    this.closed = true;
    window.clearTimeout(this.timer);
    this.source?.close();
  }
}
