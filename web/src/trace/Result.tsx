// An observation: the first rows first, the rest on request, and the JSON as it came. What a figure of the answer was
// found as is shown where it stands, marked, unfolded and scrolled to.

import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { ToolResult } from "../api/events";
import type { Lit } from "../turn/lit";
import { asText, count } from "../turn/words";
import { Chart } from "../ui/Chart";
import { Grid } from "../ui/Grid";
import { Timeline } from "../ui/Timeline";
import { chartIn, inUnit } from "./chart";
import { find, nameOf, places, type Found } from "./find";
import { mapIn } from "./map";
import { Rows, usePointedRows } from "./Rows";
import { shapeOf, type Group, type Table } from "./table";
import { timelineIn } from "./timeline";

// With its outlines, for those who are shown a map.
const MapFigure = lazy(() => import("../map/MapFigure"));
const FIRST_LINES = 4;
const MOST_LINES = 2000;

interface Props {
  readonly result: ToolResult;
  readonly lit: Lit | null;
  // All of it at once: where it is the answer.
  readonly whole?: boolean;
}

export function Result({ result, lit, whole = false }: Props): ReactNode {
  if (!result.success) {
    return (
      <div className="tool-interaction tool-interaction--error box result failed">
        <div className={lit ? "line found" : "line"}>{result.error || "The tool failed."}</div>
        <Json value={result} label="JSON" />
      </div>
    );
  }
  return <Worked {...{ result, lit, whole }} />;
}

function Worked({ result, lit, whole: atOnce = false }: Props): ReactNode {
  const [all, setAll] = useState(atOnce);
  const box = useRef<HTMLDivElement>(null);
  const shape = useMemo(() => shapeOf(result), [result]);
  const found = useMemo(() => find(result, shape, lit?.wanted ?? null), [result, shape, lit]);
  const { groups, table, lines } = shape;
  // Small things beside a table are all there; where there is no table they are what is long.
  const length = table ? table.rows.length : lines.length || groups.length;
  const whole = all || length <= FIRST_LINES + 1 || (!table && !lines.length && length <= 2 * FIRST_LINES);
  const first = whole ? Math.min(length, MOST_LINES) : FIRST_LINES;
  const pointed = usePointedRows(table);
  const shown = places(first, [...found.places, ...pointed]);
  const hidden = length - shown.length;
  useEffect(() => {
    if (lit) reveal(box.current, lit.kept);
  }, [lit]);
  return (
    <div ref={box} className="tool-interaction tool-interaction--result box result">
      <div className="result-head">
        <span>Result received</span>
        {table && (
          <span className={found.counts ? "found" : undefined}>{`${table.rows.length.toLocaleString("en")} rows`}</span>
        )}
      </div>
      <ToolPictures data={result.data} />
      {found.elsewhere.map((line) => (
        <div key={line} className="line found">
          {line}
        </div>
      ))}
      <Beside groups={table ? groups.filter((group) => !isAbout(group)) : at(groups, shown)} {...{ table, found }} />
      {table && <Rows {...{ table, shown, found, pointed }} />}
      {shown.map((place, index) => (
        <TextLine key={place} {...{ lines, place, found }} skipped={place - (shown[index - 1] ?? -1) - 1} />
      ))}
      <div className="result-foot">
        {!all && hidden > 0 && (
          <button type="button" className="more" aria-expanded={false} onClick={() => setAll(true)}>
            {`… ${hidden.toLocaleString("en")} more`}
          </button>
        )}
        {all && !atOnce && (
          <button type="button" className="more" aria-expanded autoFocus onClick={() => setAll(false)}>
            less
          </button>
        )}
        {all && hidden > 0 && <span>{`(${hidden.toLocaleString("en")} more are not shown here)`}</span>}
        <Json value={result.data ?? result.output} label="JSON" />
      </div>
      {table && <Beside groups={groups.filter(isAbout)} {...{ table, found }} />}
    </div>
  );
}

// Whether a tool drew something: a chart, a timeline, a map.
export const hasPicture = (data: unknown): boolean =>
  chartIn(data) !== null || timelineIn(data) !== null || mapIn(data) !== null;

export function ToolPictures({ data }: { data: unknown }): ReactNode {
  const chart = useMemo(() => chartIn(data), [data]);
  const timeline = useMemo(() => timelineIn(data), [data]);
  const map = useMemo(() => mapIn(data), [data]);
  return (
    <>
      {map && (
        <Suspense fallback={<figure className="chart map-loading">{map.title}</figure>}>
          <MapFigure map={map} />
        </Suspense>
      )}
      {chart?.form === "grid" && <Grid title={chart.title} series={chart.series} format={inUnit(chart.unit)} />}
      {chart && chart.form !== "grid" && (
        <Chart
          title={chart.title}
          series={chart.series}
          form={chart.form === "bar" ? "rows" : chart.form}
          format={inUnit(chart.unit)}
        />
      )}
      {timeline && <Timeline timeline={timeline} />}
    </>
  );
}

const at = <T,>(all: readonly T[], shown: readonly number[]): readonly T[] =>
  shown.flatMap((place) => (place < all.length ? [all[place] as T] : []));

// Pointing moves only the trace beside the answer: under it, the answer itself would move away from who points at it.
function reveal(box: HTMLElement | null, kept: boolean): void {
  const node = box?.querySelector<HTMLElement>(".found");
  if (node && (kept || node.closest(".trace-panel"))) node.scrollIntoView({ block: "nearest", inline: "nearest" });
}

interface LineProps {
  readonly lines: readonly string[];
  readonly place: number;
  readonly found: Found;
  readonly skipped: number;
}

function TextLine({ lines, place, found, skipped }: LineProps): ReactNode {
  const line = lines[place];
  if (line === undefined) return null;
  return (
    <>
      {skipped > 0 && <div className="gap">{`… ${count(skipped, "line")}`}</div>}
      <div className={`line${found.places.includes(place) ? " found" : ""}`}>{line}</div>
    </>
  );
}

// What is said about the rows, and not by them, stands under them.
const isAbout = ({ name }: Group): boolean => name !== null && /metadata$/.test(name);

function Beside({ groups, table, found }: { groups: readonly Group[]; table: Table | null; found: Found }): ReactNode {
  if (!groups.length) return null;
  return (
    <div className={table ? "beside" : undefined}>
      {groups.map((group) => (
        <Pairs key={nameOf(group.pairs[0]?.path ?? [])} group={group} found={found} />
      ))}
    </div>
  );
}

function Pairs({ group, found }: { group: Group; found: Found }): ReactNode {
  const pairs = group.pairs.map((pair) => (
    <span key={pair.key} className={`pair${found.paths.has(nameOf(pair.path)) ? " found" : ""}`}>
      <span className="key">{`${pair.key}: `}</span>
      {pair.text}
    </span>
  ));
  if (group.name === null) return <div className="line">{pairs}</div>;
  return (
    <div className="line small-object">
      <span className="key">{group.name}</span>
      <span className="pairs">{pairs}</span>
    </div>
  );
}

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
