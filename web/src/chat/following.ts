// Where a conversation is scrolled to while it grows. Pure.
//
// An answer is read from its beginning: after a question the newest turn is kept at the top ("start"). Whoever scrolls
// to the very end stays there ("end"), and whoever reads elsewhere is left alone ("free").

export type Mode = "start" | "end" | "free";

export interface View {
  // Where it is scrolled to, as far as it can be, and where the newest turn begins to be read.
  readonly top: number;
  readonly end: number;
  readonly start: number;
}

const NEAR_PX = 80;
const STILL_PX = 8;

export function target(mode: Mode, { end, start }: View): number | null {
  if (mode === "free") return null;
  return mode === "end" ? end : Math.min(end, start);
}

// `was` is where it stood before: what only grew was not scrolled.
export function afterScroll(mode: Mode, view: View, was: number): Mode {
  const { top, end, start } = view;
  const left = end - top;
  if (top < was - 1 && left > STILL_PX) return Math.abs(top - Math.min(end, start)) <= STILL_PX ? "start" : "free";
  if (left <= NEAR_PX && (top > was + 1 || mode === "end")) return end > start + STILL_PX ? "end" : "start";
  if (mode === "start" && Math.abs(top - Math.min(end, start)) > NEAR_PX) return "free";
  return mode;
}

// Whether there is so much below that one should know.
export const hasMore = ({ top, end }: View): boolean => end - top > NEAR_PX;
