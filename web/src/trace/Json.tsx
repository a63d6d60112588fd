// A value as it came.

import { useState, type ReactNode } from "react";
import { asText } from "../turn/words";

// Drawn when it is opened: some are long.
export function Json({ value, label }: { value: unknown; label: string }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details className="json" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{label}</summary>
      {open && (
        <pre className="tool-interaction__json" tabIndex={0}>
          {typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? asText(value))}
        </pre>
      )}
    </details>
  );
}
