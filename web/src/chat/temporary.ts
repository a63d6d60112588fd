// A temporary chat: begun at its own address, deleted when another conversation is opened or the page is left. The server
// deletes what is left behind after a day.

import { useSyncExternalStore } from "react";
import { call, id, leave } from "../api/client";
import type { Session } from "../api/types";
import { parse, TEMPORARY } from "../route";

let current: string | null = null;
const readers = new Set<() => void>();

function keep(session: string | null): void {
  current = session;
  for (const reader of readers) reader();
}

// A session for the first question that is asked at the address of temporary chats; null anywhere else.
export async function beginTemporary(): Promise<string | null> {
  if (window.location.hash !== TEMPORARY) return null;
  const { id: session } = await call<Session>("api/sessions", { temporary: true });
  keep(session);
  return session;
}

export function noteOpened(session: Session): void {
  if (session.temporary) keep(session.id);
}

function erase(): void {
  if (current) leave(`api/sessions/${id(current)}`);
  keep(null);
}

function moved(): void {
  const route = parse(window.location.hash);
  if (current && route.view === "chat" && route.session !== current) erase();
  for (const reader of readers) reader();
}

if (typeof window !== "undefined") {
  window.addEventListener("hashchange", moved);
  window.addEventListener("pagehide", erase);
}

// Whether the conversation that is shown is temporary, or will be.
export const useTemporary = (): boolean =>
  useSyncExternalStore(
    (reader) => {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    () => current !== null || window.location.hash === TEMPORARY,
  );
