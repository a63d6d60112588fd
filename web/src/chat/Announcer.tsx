// What a screen reader is told: the latest thing that happened, not every word of it, and not too often.

import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import type { AnyEvent } from "../api/events";
import { t } from "../language/t";

const MOST_CHARS = 1000;
const PAUSE_MS = 700;

export function useAnnounce(): { said: string; announce: (event: AnyEvent) => void } {
  const [said, setSaid] = useState("");
  const waiting = useRef({ text: "", timer: 0 });
  useEffect(() => () => window.clearTimeout(waiting.current.timer), []);
  const announce = useCallback((event: AnyEvent) => {
    const text = words(event);
    if (!text) return;
    waiting.current.text = text;
    waiting.current.timer ||= window.setTimeout(() => {
      waiting.current.timer = 0;
      setSaid(waiting.current.text);
    }, PAUSE_MS);
  }, []);
  return { said, announce };
}

function words(event: AnyEvent): string {
  if (event.type === "tool_called") return t("Using {0}", event.call.tool);
  if (event.type === "approval_requested") return t("{0} needs your decision", event.call.tool);
  if (event.type === "question_asked") return t("The assistant asks: {0}", event.question);
  if (event.type === "message_received") return t("Your message was read");
  if (event.type === "answer_given")
    return event.text.length > MOST_CHARS ? t("The answer is ready") : t("Answer: {0}", spoken(event.text));
  if (event.type === "turn_finished" && event.status !== "completed") return event.error || t("Stopped");
  return "";
}

// The words of Markdown without its marks. A table is told, not read out.
const spoken = (text: string): string =>
  text
    .replace(/(?:^[ \t]*\|.*(?:\n|$))+/gm, (table) => `${t("A table of {0} rows.", Math.max(1, rows(table)))}\n`)
    .replace(/^[ \t]*(?:#{1,6} |[-*>] |\|?[ :|-]+\|?$)/gm, "")
    .replace(/[*_`|]+/g, " ")
    .replace(/\s+/g, " ")
    .trim();

// Without its head and the line under that.
const rows = (table: string): number => table.trim().split("\n").length - 2;

export function Announcer({ said }: { said: string }): ReactNode {
  return (
    <div className="unseen" id="status" role="status">
      {said}
    </div>
  );
}
