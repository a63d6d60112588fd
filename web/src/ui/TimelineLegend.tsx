// The colours of a timeline by name: phases each, other spans and marks by their kind.

import type { ReactNode } from "react";
import { phaseColours, type Mark, type TimelineRow } from "../trace/timeline";
import { t } from "../language/t";

export const KINDS = [
  "cast",
  "channel",
  "instant",
  "cancelled",
  "gap",
  "waiting",
  "buff",
  "debuff",
  "phase",
  "downtime",
] as const;
export const MARKS = ["death", "cooldown", "bloodlust"] as const;

interface Props {
  readonly rows: readonly TimelineRow[];
  readonly marks: readonly Mark[];
}

export function TimelineLegend({ rows, marks }: Props): ReactNode {
  const spans = rows.flatMap((row) => row.spans);
  const phases = [...phaseColours(rows)];
  const away = [...new Set(spans.filter((span) => span.kind === "downtime" && span.label).map((span) => span.label))];
  const isPlain = !away.length || away.includes("downtime");
  const named = !isPlain ? t("{0} (downtime)", away.join(", ")) : "downtime";
  const kinds = KINDS.filter((kind) =>
    spans.some((span) => span.kind === kind && !(phases.length && kind === "phase")),
  );
  const moments = MARKS.filter((kind) => marks.some((mark) => mark.kind === kind));
  const keys = [
    ...phases.map(([label, colour]) => [`phase-${colour}`, label] as const),
    ...[...kinds, ...moments].map((kind) => [kind, kind === "downtime" ? named : kind] as const),
  ];
  if (!keys.length) return null;
  return (
    <div className="timeline-legend" aria-hidden="true">
      {keys.map(([kind, label]) => (
        <span key={label} className={`key-of ${kind}`}>
          {label}
        </span>
      ))}
    </div>
  );
}
