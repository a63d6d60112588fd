// A question that a link brought, put into the field for its assistant. Whoever came with the link sends it, or not.

import { useEffect } from "react";
import type { Draft } from "../route";

export function useDraft(draft: Draft | null, put: (draft: Draft) => void): void {
  useEffect(() => {
    if (!draft) return;
    put(draft);
    window.location.replace("#/");
  }, [draft?.assistant, draft?.question]);
}
