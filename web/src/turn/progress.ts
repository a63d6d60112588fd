// How far a call is: a line that takes the place of the one before, or what a command wrote since.

import type { ToolProgressed } from "../api/events";
import type { Acted } from "./model";

const MOST_CHARS = 20_000;

/** Whether a call runs a command line, whose progress is its output. */
export const isCommand = ({ call }: Pick<Acted, "call">): boolean => typeof call.args["command"] === "string";

export function progressOf(row: Acted, event: ToolProgressed): Pick<Acted, "progress"> {
  if (isCommand(row) && event.fraction === null) return { progress: (row.progress + event.message).slice(-MOST_CHARS) };
  const share = event.fraction === null ? "" : `${Math.round(event.fraction * 100)} % `;
  return { progress: share + event.message };
}
