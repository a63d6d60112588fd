// An observation: the first rows first, the rest on request, and the JSON as it came. What a figure of the answer was
// found as is shown where it stands, marked, unfolded and scrolled to.

import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { address } from "../api/client";
import type { ToolResult } from "../api/events";
import type { Lit } from "../turn/lit";
import { count } from "../turn/words";
import { Chart } from "../ui/Chart";
import { Fold, FIRST_ROWS, MOST_ROWS } from "../ui/Fold";
import { Grid } from "../ui/Grid";
import { Timeline } from "../ui/Timeline";
import { About, Beside } from "./Beside";
import { ChangedResult, changedIn } from "./ChangedResult";
import { chartIn, inUnit } from "./chart";
import { imagesIn } from "./images";
import { find, places, type Found } from "./find";
import { Json } from "./Json";
import { mapIn } from "./map";
import { ResultTable } from "./Rows";
import { shapeOf } from "./table";
import { timelineIn } from "./timeline";
import { t } from "../language/t";

// With its outlines, for those who are shown a map.
const MapFigure = lazy(() => import("../map/MapFigure"));

// Pixels between the column that stays and a cell that is scrolled to.
const BESIDE_PINNED = 14;

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
        <div className={lit ? "line found" : "line"}>{result.error || t("The tool failed.")}</div>
        <Json value={result} label="JSON" />
      </div>
    );
  }
  const files = changedIn(result.data);
  return files ? <ChangedResult {...{ result, files }} /> : <Worked {...{ result, lit, whole }} />;
}

function Worked({ result, lit, whole = false }: Props): ReactNode {
  const [all, setAll] = useState(whole);
  const box = useRef<HTMLDivElement>(null);
  const shape = useMemo(() => shapeOf(result), [result]);
  const found = useMemo(() => find(result, shape, lit?.wanted ?? null), [result, shape, lit]);
  const { groups, tables, lines } = shape;
  const [only] = tables.length === 1 ? tables : [];
  // Small things beside a table are all there; where there is no table they are what is long.
  const length = tables.length ? 0 : lines.length || groups.length;
  const unfolded = all || length <= FIRST_ROWS + 1 || (!lines.length && length <= 2 * FIRST_ROWS);
  const shown = places(unfolded ? Math.min(length, MOST_ROWS) : FIRST_ROWS, found.places);
  const beside = tables.length ? groups : at(groups, shown);
  useEffect(() => {
    if (lit) reveal(box.current, lit.kept);
  }, [lit]);
  return (
    <div ref={box} className="tool-interaction tool-interaction--result box result">
      <div className="result-head">
        <span>{t("Result received")}</span>
        {only && (
          <span className={found.counts ? "found" : undefined}>
            {t("{0} rows", only.rows.length.toLocaleString("en"))}
          </span>
        )}
      </div>
      <ToolPictures data={result.data} />
      {found.elsewhere.map((line) => (
        <div key={line} className="line found">
          {line}
        </div>
      ))}
      <Beside groups={beside} found={found} above={tables.length > 0} />
      {tables.map((table) => (
        <ResultTable
          key={table.path.join(".")}
          {...{ table, found, whole }}
          name={only ? null : table.path.join(".")}
        />
      ))}
      {shown.map((place, index) => (
        <TextLine key={place} {...{ lines, place, found }} skipped={place - (shown[index - 1] ?? -1) - 1} />
      ))}
      <div className="result-foot">
        <Fold {...{ all, setAll, whole }} hidden={length - shown.length} />
        <Json value={result.data ?? result.output} label="JSON" />
      </div>
      <About groups={beside} found={found} />
    </div>
  );
}

// Whether a tool drew something: a chart, a timeline, a map, a picture.
export const hasPicture = (data: unknown): boolean =>
  chartIn(data) !== null || timelineIn(data) !== null || mapIn(data) !== null || imagesIn(data).length > 0;

export function ToolPictures({ data }: { data: unknown }): ReactNode {
  const chart = useMemo(() => chartIn(data), [data]);
  const timeline = useMemo(() => timelineIn(data), [data]);
  const map = useMemo(() => mapIn(data), [data]);
  const images = useMemo(() => imagesIn(data), [data]);
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
          formatTick={inUnit("")}
          x={chart.x}
          y={chart.y}
        />
      )}
      {timeline && <Timeline timeline={timeline} />}
      {images.map(({ src, alt }, place) => (
        <img key={place} className="tool-image" src={src.startsWith("/") ? address(src.slice(1)) : src} alt={alt} />
      ))}
    </>
  );
}

const at = <T,>(all: readonly T[], shown: readonly number[]): readonly T[] =>
  shown.flatMap((place) => (place < all.length ? [all[place] as T] : []));

// Pointing moves only the trace beside the answer: under it, the answer itself would move away from who points at it.
function reveal(box: HTMLElement | null, kept: boolean): void {
  const node = box?.querySelector<HTMLElement>(".found");
  if (!node || !(kept || node.closest(".trace-panel"))) return;
  const scroll = node.closest<HTMLElement>(".scroll");
  const pinned = scroll?.querySelector<HTMLElement>("tbody .row-name");
  // Not under the column that stays.
  if (scroll && pinned) scroll.style.scrollPaddingInlineStart = `${pinned.offsetWidth + BESIDE_PINNED}px`;
  node.scrollIntoView({ block: "nearest", inline: "nearest" });
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
