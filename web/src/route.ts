// Where one is: the part of the address after `#`. Links work, and so do the browser's own buttons.

import { useSyncExternalStore } from "react";
import { PAGE_NAMES } from "./features/names";

// A question that a link puts into the field; sending it is left to the person.
export interface Draft {
  readonly assistant: string;
  readonly question: string;
}

export type Route =
  | { readonly view: "chat"; readonly session: string | null; readonly turn?: string; readonly draft?: Draft }
  | { readonly view: "feature"; readonly name: string; readonly path: readonly string[] }
  | { readonly view: "replay"; readonly turn: string; readonly other: string | null }
  | { readonly view: "shared"; readonly token: string }
  | { readonly view: "print"; readonly session: string }
  | { readonly view: "settings" }
  | { readonly view: "inbox" }
  | { readonly view: "knowledge" }
  | { readonly view: "list"; readonly session: string | null }
  | { readonly view: "overview" }
  | { readonly view: "live" }
  | { readonly view: "tools" }
  | { readonly view: "evals"; readonly run: string | null; readonly other: string | null }
  | { readonly view: "access" }
  | { readonly view: "users" }
  | { readonly view: "audit" }
  | { readonly view: "operations" }
  | { readonly view: "dead-letters" }
  | { readonly view: "nowhere" };

// Names of places without anything after them.
const PLAIN = [
  "settings",
  "inbox",
  "knowledge",
  "overview",
  "live",
  "tools",
  "access",
  "users",
  "audit",
  "operations",
  "dead-letters",
] as const;

// Where a chat is begun that is not kept.
export const TEMPORARY = "#/temporary";

const MAX_PARTS = 6;

export function parse(hash: string): Route {
  const parts = partsOf(hash);
  const [place, first = null, second = null, ...more] = parts;
  if (place && PAGE_NAMES.has(place) && parts.every(Boolean) && parts.length <= MAX_PARTS) {
    return { view: "feature", name: place, path: parts.slice(1) };
  }
  const plain = PLAIN.find((one) => one === place);
  if (more.length || first === "" || second === "") return { view: "nowhere" };
  if (!place && first === null) return { view: "chat", session: null };
  if (hash === TEMPORARY) return { view: "chat", session: null };
  if (place === "s" && first) return { view: "chat", session: first, ...(second ? { turn: second } : {}) };
  if (place === "shared" && first && !second) return { view: "shared", token: first };
  if (place === "print" && first && !second) return { view: "print", session: first };
  if (place === "ask" && first && second)
    return { view: "chat", session: null, draft: { assistant: first, question: second } };
  if (place === "t" && first) return { view: "replay", turn: first, other: second };
  if (place === "sessions" && !second) return { view: "list", session: first };
  if (place === "evals") return { view: "evals", run: first, other: second };
  return plain && !first ? { view: plain } : { view: "nowhere" };
}

// What stands between the slashes; `#question` is a place within the page.
function partsOf(hash: string): readonly string[] {
  if (!hash.startsWith("#/")) return [];
  try {
    return hash.slice(2).split("/").map(decodeURIComponent);
  } catch {
    return [hash];
  }
}

function subscribe(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
}

export const useHash = (): string => useSyncExternalStore(subscribe, () => window.location.hash);

// A conversation, at its end or at one of its turns.
export const sessionLink = (session: string, turn?: string | null): string =>
  `#/s/${encodeURIComponent(session)}${turn ? `/${encodeURIComponent(turn)}` : ""}`;

export const printLink = (session: string): string => `#/print/${encodeURIComponent(session)}`;

export const askLink = (assistant: string, question: string): string =>
  `#/ask/${encodeURIComponent(assistant)}/${encodeURIComponent(question)}`;

export const replayLink = (turn: string, other?: string): string =>
  `#/t/${encodeURIComponent(turn)}${other ? `/${encodeURIComponent(other)}` : ""}`;

export function go(hash: string): void {
  window.location.hash = hash;
}
