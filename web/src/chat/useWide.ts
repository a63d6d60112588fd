// Whether the trace has room beside the conversation.

import { useSyncExternalStore } from "react";

function watch(query: string) {
  const media = window.matchMedia(query);
  return {
    subscribe: (changed: () => void) => {
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    read: () => media.matches,
  };
}

const WIDE = watch("(min-width: 1100px)");
const NARROW = watch("(max-width: 800px)");

export const useWide = (): boolean => useSyncExternalStore(WIDE.subscribe, WIDE.read);
export const useNarrow = (): boolean => useSyncExternalStore(NARROW.subscribe, NARROW.read);
