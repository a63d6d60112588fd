// Talking to the server: requests with the right headers, mistakes as `ApiError`, and turns as they happen.

import { KINDS } from "./fold.js";

export class ApiError extends Error {
  constructor(status, message, details = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

const AWAY = "The server cannot be reached. Look whether it runs, and try again.";
const RETRY_MS = [500, 1000, 2000, 4000, 8000, 15000];

let csrf = null;

export function trust(token) {
  csrf = token;
}

export async function call(path, body) {
  const headers = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (body !== undefined && csrf) headers["x-csrf-token"] = csrf;
  const method = body === undefined ? "GET" : "POST";
  let response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new ApiError(0, AWAY);
  }
  const told = await response.json().catch(() => null);
  if (response.ok) return told;
  throw new ApiError(
    response.status,
    told?.error ?? `The server answered ${response.status}. Try again.`,
    told?.details,
  );
}

const path = (turn) => `api/turns/${encodeURIComponent(turn)}`;

export const events = (turn) => call(`${path(turn)}/events?format=json`);
export const cancel = (turn) => call(`${path(turn)}/cancel`, {});
export const decide = (turn, decision) => call(`${path(turn)}/approvals`, { decisions: [decision] });

// Follows one turn until it is finished, however often the connection is cut. `after` tells the last event known.
export class Follower {
  constructor(turn, after, { event, lost, found, failed }) {
    this.turn = turn;
    this.after = after;
    this.tell = { event, lost, found, failed };
    this.tries = 0;
    this.open();
  }

  open() {
    this.source = new EventSource(`${path(this.turn)}/events?after=${this.after()}`);
    this.source.onopen = () => {
      this.tries = 0;
      this.tell.found();
    };
    this.source.onerror = () => this.cut();
    for (const kind of KINDS) {
      this.source.addEventListener(kind, (message) => {
        this.tell.event(JSON.parse(message.data));
        if (kind === "turn_finished") this.close();
      });
    }
  }

  // The browser comes back by itself, with the last event it has; unless the server refused: then we do.
  cut() {
    this.tell.lost();
    if (this.source.readyState !== EventSource.CLOSED) return;
    const wait = RETRY_MS[Math.min(this.tries, RETRY_MS.length - 1)];
    this.tries += 1;
    this.timer = setTimeout(() => this.again(), wait);
  }

  async again() {
    try {
      await call(path(this.turn));
    } catch (error) {
      if ([401, 403, 404].includes(error.status)) {
        this.close();
        this.tell.failed(error);
        return;
      }
    }
    if (!this.closed && !this.resting) this.open();
  }

  // A browser has few connections for all of its tabs: one that nobody looks at gives its own back.
  rest() {
    this.resting = true;
    clearTimeout(this.timer);
    this.source.close();
  }

  wake() {
    if (this.resting && !this.closed) this.open();
    this.resting = false;
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.source.close();
  }
}
