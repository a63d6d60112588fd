// Spans in rows over the same time, with marks across them: a drawing of our own. It scrolls where time is long, and the
// same stands in a table.

import { useState, type CSSProperties, type ReactNode } from "react";
import {
  clock,
  linesOf,
  phaseColours,
  ticks,
  type Mark,
  type Span,
  type TimelineRow,
  type ToolTimeline,
} from "../trace/timeline";
import { KINDS, MARKS, TimelineLegend } from "./TimelineLegend";
import { t } from "../language/t";

const HIGH = 10;
// Pixels a second, so that casts can still be told apart; a very long time is drawn smaller.
const PIXELS = 2;
const WIDEST = 2400;
const MOST_ACROSS = 100;
const MOST_LINES = 500;
const NEAR_END = 0.92;

const known = (kind: string, among: readonly string[]): string => (among.includes(kind) ? kind : "plain-kind");

export function Timeline({ timeline }: { timeline: ToolTimeline }): ReactNode {
  const { title, length, rows, marks } = timeline;
  const across = marks.slice(0, MOST_ACROSS);
  const phases = phaseColours(rows);
  const wide: CSSProperties = { minWidth: `${Math.min(WIDEST, Math.round(length * PIXELS))}px` };
  return (
    <figure className="chart timeline">
      <figcaption>{title}</figcaption>
      <div className="timeline-scroll" tabIndex={0} role="region" aria-label={title}>
        <div className="timeline-rows" style={wide} role="img" aria-label={spoken(timeline)}>
          {marks.length > 0 && <Moments marks={across} length={length} />}
          {rows.map((row, place) => (
            <Row key={`${place} ${row.label}`} {...{ row, length, phases }} marks={across} />
          ))}
          <Axis length={length} />
        </div>
      </div>
      <TimelineLegend {...{ rows, marks }} />
      <AsTable timeline={timeline} />
    </figure>
  );
}

function spoken({ title, length, rows, marks }: ToolTimeline): string {
  const told = rows.map((row) => `${row.label}: ${row.spans.length}`).join(", ");
  const moments = marks.slice(0, MOST_ACROSS).map((mark) => t("{0} at {1}", mark.label, clock(mark.at)));
  return [t("{0}, {1} long", title, clock(length)), told, ...moments].join(". ");
}

interface RowProps {
  readonly row: TimelineRow;
  readonly marks: readonly Mark[];
  readonly length: number;
  readonly phases: ReadonlyMap<string, number>;
}

function Row({ row, marks, length, phases }: RowProps): ReactNode {
  const colour = (span: Span): string =>
    span.kind === "phase" && phases.has(span.label) ? `phase-${phases.get(span.label)}` : known(span.kind, KINDS);
  return (
    <div className="timeline-row">
      <span className="timeline-name" title={row.label}>
        {row.label}
      </span>
      <svg viewBox={`0 0 ${length} ${HIGH}`} preserveAspectRatio="none" aria-hidden="true">
        {row.spans.map((span, place) => (
          <rect
            key={place}
            className={`span ${colour(span)}`}
            x={span.from}
            y={1}
            // What takes no time is a thin stroke.
            width={Math.max(span.to - span.from, length / 600)}
            height={HIGH - 2}
          >
            <title>
              {t(
                "{0}{1}: {2} to {3}",
                span.label || row.label,
                span.kind ? `, ${span.kind}` : "",
                clock(span.from),
                clock(span.to),
              )}
            </title>
          </rect>
        ))}
        {marks.map((mark, place) => (
          <line
            key={place}
            className={`moment ${known(mark.kind, MARKS)}`}
            x1={mark.at}
            x2={mark.at}
            y1={0}
            y2={HIGH}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
    </div>
  );
}

function Moments({ marks, length }: { marks: readonly Mark[]; length: number }): ReactNode {
  return (
    <div className="timeline-row">
      <span className="timeline-name" />
      <span className="timeline-moments">
        {marks.map((mark, place) => (
          <span
            key={place}
            className={`moment-sign ${known(mark.kind, MARKS)}`}
            style={{ left: `${(100 * mark.at) / length}%` }}
            title={`${clock(mark.at)} ${mark.label}`}
          >
            {mark.kind === "death" ? "✕" : "▾"}
          </span>
        ))}
      </span>
    </div>
  );
}

function Axis({ length }: { length: number }): ReactNode {
  return (
    <div className="timeline-row timeline-axis">
      <span className="timeline-name" />
      <span className="timeline-moments">
        {ticks(length).map((at, place) => (
          <span
            key={at}
            // Every second one goes where there is little room, and the last one stays inside.
            className={[place % 2 ? "minor" : "", at / length > NEAR_END ? "at-end" : ""].join(" ").trim() || undefined}
            style={{ left: `${(100 * at) / length}%` }}
          >
            {clock(at)}
          </span>
        ))}
      </span>
    </div>
  );
}

// Made when it is opened: some are long.
function AsTable({ timeline }: { timeline: ToolTimeline }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details className="timeline-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("View as table")}</summary>
      {open && <Lines timeline={timeline} />}
    </details>
  );
}

function Lines({ timeline }: { timeline: ToolTimeline }): ReactNode {
  const lines = linesOf(timeline);
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={t("{0} as a table", timeline.title)}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("from")}</th>
            <th scope="col">{t("to")}</th>
            <th scope="col">{t("row")}</th>
            <th scope="col">{t("what")}</th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, MOST_LINES).map((line, place) => (
            <tr key={place}>
              <td className="figure-cell">{clock(line.from)}</td>
              <td className="figure-cell">{line.to === null ? "" : clock(line.to)}</td>
              <td>{line.row}</td>
              <td>{line.what}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > MOST_LINES && (
        <p>{t("… {0} more in the JSON", (lines.length - MOST_LINES).toLocaleString("en"))}</p>
      )}
    </div>
  );
}
