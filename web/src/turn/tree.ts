// A conversation is a tree of turns: each follows another, those that follow the same one are versions of each other.
// Turns are listed in the order in which they started.

import type { TurnLine } from "../api/types";

export type Line = Pick<TurnLine, "id" | "question" | "status" | "previous_turn_id">;

// The turns that lead to that one, and it itself. Times of imported turns may say that two follow each other.
export function pathTo(lines: readonly Line[], id: string): readonly Line[] {
  const byId = new Map(lines.map((line) => [line.id, line]));
  const path = new Set<Line>();
  for (let line = byId.get(id); line && !path.has(line); line = byId.get(line.previous_turn_id)) path.add(line);
  return [...path].reverse();
}

// Of all turns that come after that one, or it itself, the one that started last.
export function newestAfter(lines: readonly Line[], id: string): string {
  const after = new Set([id]);
  let newest = id;
  for (const line of lines) {
    if (!after.has(line.previous_turn_id)) continue;
    after.add(line.id);
    newest = line.id;
  }
  return newest;
}

// The versions of each turn, by the turn that they follow.
export function versionsOf(lines: readonly Line[]): ReadonlyMap<string, readonly string[]> {
  const versions = new Map<string, string[]>();
  for (const { id, previous_turn_id } of lines) {
    const known = versions.get(previous_turn_id);
    if (known) known.push(id);
    else versions.set(previous_turn_id, [id]);
  }
  return versions;
}
