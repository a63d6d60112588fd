// Tells a person who looks elsewhere that a turn is over or asks: by a mark in the title, and a notification where chosen.

import type { AnyEvent } from "../api/events";
import { preferences } from "../preferences";
import { t } from "../language/t";

const MARK = "● ";
const MAX_CHARS = 160;

export const canNotify = (): boolean => "Notification" in window && window.isSecureContext;

function wordsOf(event: AnyEvent): string {
  if (event.type === "approval_requested") return t("{0} needs your decision", event.call.tool);
  if (event.type === "question_asked") return event.question;
  if (event.type !== "turn_finished" || event.status === "cancelled") return "";
  return event.status === "failed" ? t("The turn failed") : t("The answer is ready");
}

export function callAttention(event: AnyEvent): void {
  const words = wordsOf(event);
  if (!words || !document.hidden) return;
  if (!document.title.startsWith(MARK)) document.title = MARK + document.title;
  if (!preferences().notify || !canNotify() || Notification.permission !== "granted") return;
  const title = document.title.slice(MARK.length);
  try {
    // One for each turn: what it says last replaces what it said before.
    const shown = new Notification(title, { body: words.slice(0, MAX_CHARS), tag: event.turn_id });
    shown.onclick = () => {
      window.focus();
      shown.close();
    };
  } catch {
    // Some phones show notifications of installed pages only; the title has the mark.
  }
}

document.addEventListener("visibilitychange", () => {
  if (!document.hidden && document.title.startsWith(MARK)) document.title = document.title.slice(MARK.length);
});
