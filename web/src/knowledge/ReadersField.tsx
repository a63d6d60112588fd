// Who may read a collection.

import type { ReactNode } from "react";
import { exact } from "../turn/words";
import { t } from "../language/t";

export function readersOf(readers: string): string {
  if (readers === "owner") return t("Only me");
  if (readers === "everyone") return t("Everyone");
  return t("Group {0}", exact(readers.replace(/^group:/, "")));
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
      {t("Who can read it")}
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
