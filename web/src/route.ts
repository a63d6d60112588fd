// Where one is: the part of the address after `#`. Links work, and so do the browser's own buttons.

import { useSyncExternalStore } from "react";

export type Route =
  | { readonly view: "chat"; readonly session: string | null }
  | { readonly view: "replay"; readonly turn: string; readonly other: string | null }
  | { readonly view: "settings" }
  | { readonly view: "list"; readonly session: string | null }
  | { readonly view: "overview" }
  | { readonly view: "live" }
  | { readonly view: "tools" }
  | { readonly view: "evals"; readonly run: string | null; readonly other: string | null }
  | { readonly view: "audit" };

const ID = "([\\w.:@%-]+)";

export function parse(hash: string): Route {
  const found = (pattern: string) => new RegExp(`^#/${pattern}$`).exec(hash);
  const replay = found(`t/${ID}(?:/${ID})?`);
  if (replay?.[1])
    return {
      view: "replay",
      turn: decodeURIComponent(replay[1]),
      other: replay[2] ? decodeURIComponent(replay[2]) : null,
    };
  const list = found(`sessions(?:/${ID})?`);
  if (list) return { view: "list", session: list[1] ? decodeURIComponent(list[1]) : null };
  if (found("settings")) return { view: "settings" };
  if (found("overview")) return { view: "overview" };
  if (found("live")) return { view: "live" };
  if (found("tools")) return { view: "tools" };
  if (found("audit")) return { view: "audit" };
  const evals = found(`evals(?:/${ID})?(?:/${ID})?`);
  if (evals)
    return {
      view: "evals",
      run: evals[1] ? decodeURIComponent(evals[1]) : null,
      other: evals[2] ? decodeURIComponent(evals[2]) : null,
    };
  const session = found(`s/${ID}`);
  return { view: "chat", session: session?.[1] ? decodeURIComponent(session[1]) : null };
}

function subscribe(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
}

export const useHash = (): string => useSyncExternalStore(subscribe, () => window.location.hash);

export const sessionLink = (session: string): string => `#/s/${encodeURIComponent(session)}`;

export const replayLink = (turn: string, other?: string): string =>
  `#/t/${encodeURIComponent(turn)}${other ? `/${encodeURIComponent(other)}` : ""}`;

export function go(hash: string): void {
  window.location.hash = hash;
}
