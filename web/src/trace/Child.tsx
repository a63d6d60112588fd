// The turn of a sub-agent under the call that it answers: a line, and its steps when one opens it.

import { useEffect, useState, type ReactNode } from "react";
import { childOf, childSummary } from "../turn/children";
import type { Acted, Turn } from "../turn/fold";
import type { Lit } from "../turn/lit";
import { Step } from "./Step";
import { Streaming } from "./Streaming";
import { t } from "../language/t";

interface Props {
  readonly row: Acted;
  readonly child: Turn;
  readonly lit: Lit | null;
}

export function Child({ row, child, lit }: Props): ReactNode {
  const [open, setOpen] = useState(false);
  const holds = Boolean(lit?.kept && childOf(row, lit.call));
  useEffect(() => {
    if (holds) setOpen(true);
  }, [holds]);
  return (
    <details className="child" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{childSummary(child)}</summary>
      {open && (
        <div className="steps" role="list" aria-label={t("Steps of {0}", child.assistant)}>
          {child.rows.map((one) => (
            <div key={one.key} role="listitem">
              <Step
                row={one}
                turn={one.kind === "plan" || one.kind === "answer" ? child : null}
                lit={lit && one.kind === "act" && (lit.call === one.call.id || childOf(one, lit.call)) ? lit : null}
                counts
              />
            </div>
          ))}
          <Streaming turn={child} answers />
        </div>
      )}
    </details>
  );
}
