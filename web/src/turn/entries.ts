// The entries of a conversation: a turn with its events, and how it stands.

import type { AnyEvent } from "../api/events";
import { newTurn, type Turn } from "./fold";
import { versionsOf, type Line } from "./tree";

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
  // All versions of the turn, this one among them.
  readonly versions: readonly string[];
}

export interface SentMessage {
  readonly number: number;
  readonly text: string;
}

export const withMessages = (there: readonly SentMessage[], more: readonly SentMessage[]): readonly SentMessage[] => [
  ...there,
  ...more.filter((one) => there.every(({ number }) => number !== one.number)),
];

export interface Shown {
  readonly entries: readonly Entry[];
  readonly earlier: readonly Line[];
}

// Those of a path, with the versions of each among all turns; what is known stays as it is.
export function entriesOf(
  path: readonly Line[],
  lines: readonly Line[],
  known: ReadonlyMap<string, Entry>,
): readonly Entry[] {
  const versions = versionsOf(lines);
  return path.map((line) => {
    const of = versions.get(line.previous_turn_id) ?? [line.id];
    const entry = known.get(line.id) ?? newEntry(line);
    return entry.versions.length === of.length ? entry : { ...entry, versions: of };
  });
}

function newEntry(line: Line): Entry {
  const live = line.status === "running" || line.status === "paused";
  const turn = { ...newTurn(line.id, line.question), status: live ? "running" : line.status } as Turn;
  return { turn, events: [], connection: "", live, since: performance.now(), sent: [], versions: [] };
}
