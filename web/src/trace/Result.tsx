// An observation: the first rows first, the rest on request, and the JSON as it came.

import { useState, type ReactNode } from "react";
import type { ToolResult } from "../api/events";
import { asText } from "../turn/words";
import { Chart } from "../ui/Chart";
import { chartIn, inUnit } from "./chart";
import { cellText, isNumbers, linesOf, tableOf, type Table } from "./table";

const FIRST_LINES = 4;
const MOST_LINES = 2000;

interface Props {
  readonly result: ToolResult;
  // What a figure that is pointed at was found as.
  readonly found: string | null;
}

export function Result({ result, found }: Props): ReactNode {
  if (!result.success) {
    return (
      <div className="tool-interaction tool-interaction--error box result failed">
        <div className="line">{result.error || "The tool failed."}</div>
        <Json value={result} label="JSON" />
      </div>
    );
  }
  return <Worked result={result} found={found} />;
}

function Worked({ result, found }: Props): ReactNode {
  const [all, setAll] = useState(false);
  const table = tableOf(result.data);
  const lines = table ? table.rows.map((row) => Object.values(row).map(cellText).join(" ")) : linesOf(result);
  const count = all || lines.length <= FIRST_LINES + 1 ? Math.min(lines.length, MOST_LINES) : FIRST_LINES;
  const hidden = lines.length - count;
  const lit = (place: number): string => (found && holds(lines[place] ?? "", found) ? " lit" : "");
  return (
    <div className="tool-interaction tool-interaction--result box result">
      <div className="result-head">
        <span>Result received</span>
        <span>{table ? `${table.rows.length.toLocaleString("en")} rows` : ""}</span>
      </div>
      <ToolChart data={result.data} />
      {table ? (
        <Rows table={table} count={count} lit={lit} />
      ) : (
        lines.slice(0, count).map((line, place) => (
          <div key={place} className={`line${lit(place)}`}>
            {line}
          </div>
        ))
      )}
      <div className="result-foot">
        {!all && hidden > 0 && (
          <button type="button" className="more" aria-expanded={false} onClick={() => setAll(true)}>
            {`… ${hidden.toLocaleString("en")} more`}
          </button>
        )}
        {all && (
          <button type="button" className="more" aria-expanded autoFocus onClick={() => setAll(false)}>
            less
          </button>
        )}
        {all && hidden > 0 && <span>{`(${hidden.toLocaleString("en")} more are not shown here)`}</span>}
        <Json value={result.data ?? result.output} label="JSON" />
      </div>
    </div>
  );
}

export function ToolChart({ data }: { data: unknown }): ReactNode {
  const chart = chartIn(data);
  if (!chart) return null;
  return <Chart title={chart.title} series={chart.series} form={chart.form} format={inUnit(chart.unit)} />;
}

// A figure is written in an answer as it stands in the observation, perhaps with other separators.
function holds(line: string, found: string): boolean {
  return line.includes(found) || line.replaceAll(",", "").includes(found.replaceAll(",", ""));
}

function Rows({ table, count, lit }: { table: Table; count: number; lit: (place: number) => string }): ReactNode {
  const side = (name: string) => (isNumbers(table, name) ? "figure-cell" : undefined);
  return (
    <>
      {table.beside.map((line) => (
        <div key={line} className="line">
          {line}
        </div>
      ))}
      <div className="scroll" tabIndex={0} role="region" aria-label="Result as a table">
        <table>
          <thead>
            <tr>
              {table.names.map((name) => (
                <th key={name} scope="col" className={side(name)}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {table.rows.slice(0, count).map((row, place) => (
              <tr key={place} className={`line${lit(place)}`}>
                {table.names.map((name) => (
                  <td key={name} className={side(name)}>
                    {cellText(row[name])}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
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
