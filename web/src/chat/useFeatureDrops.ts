// Files that an extension takes, dropped anywhere on the chat. Others are for the field, which sees them after this.

import { useEffect } from "react";
import type { Me } from "../api/types";
import { dropFor } from "../features/features";

export function useFeatureDrops(me: Me): void {
  useEffect(() => {
    const dragged = (event: DragEvent) => {
      // Else the browser would leave the page for a file that is dropped beside the field.
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    };
    const dropped = (event: DragEvent) => {
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length) event.preventDefault();
      const drop = dropFor(me, files);
      if (!drop) return;
      event.stopPropagation();
      drop.take(files);
    };
    window.addEventListener("dragover", dragged);
    window.addEventListener("drop", dropped, { capture: true });
    return () => {
      window.removeEventListener("dragover", dragged);
      window.removeEventListener("drop", dropped, { capture: true });
    };
  }, [me]);
}
