// Who may read a collection.

import type { ReactNode } from "react";
import { exact } from "../turn/words";

export function readersOf(readers: string): string {
  if (readers === "owner") return "Only me";
  if (readers === "everyone") return "Everyone";
  return `Group ${exact(readers.replace(/^group:/, ""))}`;
}

interface Props {
  readonly value: string;
  readonly readers: readonly string[];
  readonly onChange: (readers: string) => void;
}

export function ReadersField({ value, readers, onChange }: Props): ReactNode {
  const offered = readers.includes(value) ? readers : [value, ...readers];
  return (
    <label className="readers-field">
      Who can read it
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {offered.map((one) => (
          <option key={one} value={one}>
            {readersOf(one)}
          </option>
        ))}
      </select>
    </label>
  );
}
