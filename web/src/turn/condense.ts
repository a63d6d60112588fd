// A rail has room for so many segments: of a very long turn, neighbours stand together.

import type { Segment } from "./fold";

export function condense(segments: readonly Segment[], most: number): readonly Segment[] {
  if (segments.length <= most) return segments;
  const each = Math.ceil(segments.length / most);
  const found: Segment[] = [];
  for (let at = 0; at < segments.length; at += each) {
    const group = segments.slice(at, at + each);
    const seconds = group.reduce((sum, one) => sum + one.seconds, 0);
    const chief = notable(group);
    const kind = chief?.kind ?? group.reduce((most, one) => (one.seconds > most.seconds ? one : most)).kind;
    found.push({ kind, seconds, row: chief?.row ?? group.find((one) => one.row)?.row ?? null });
  }
  return found;
}

// What went wrong, or the answer: these are looked for. Else what took longest gives the colour.
const notable = (group: readonly Segment[]): Segment | undefined =>
  group.find((one) => one.kind === "trouble") ?? group.findLast((one) => one.kind === "answer");
