// What becomes of a message that is sent while a turn runs: a choice of two that this browser keeps.

import type { ReactNode } from "react";
import { prefer, usePreferences } from "../preferences";
import { t } from "../language/t";

const CHOICES = [
  ["steer", t("Add to this answer"), t("Read before the next step")],
  ["queue", t("Send afterwards"), t("Asked when this answer is finished")],
] as const;

export function WhileRunning(): ReactNode {
  const { whileRunning } = usePreferences();
  return (
    <fieldset className="while-running">
      <legend className="unseen">{t("Messages sent while it works")}</legend>
      {CHOICES.map(([value, label, title]) => (
        <label key={value} title={title}>
          <input
            type="radio"
            name="while-running"
            checked={whileRunning === value}
            onChange={() => prefer({ whileRunning: value })}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
