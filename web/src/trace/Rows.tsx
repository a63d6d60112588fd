// Rows of an observation as a table: those that are wanted, what lies between them counted, what was looked for marked.

import { useMemo, type ReactNode } from "react";
import { onMap, pointAt, useLit } from "../turn/pointing";
import { count } from "../turn/words";
import { nameOf, type Found } from "./find";
import { cellText, isNumbers, type Table } from "./table";

interface RowsProps {
  readonly table: Table;
  readonly shown: readonly number[];
  readonly found: Found;
  // Those that are of what is pointed at on a map.
  readonly pointed: readonly number[];
}

export function usePointedRows(table: Table | null): readonly number[] {
  const named = useMemo(() => new Set(table?.rows.flatMap((row) => Object.values(row))), [table]);
  const lit = useLit(named, false);
  return useMemo(() => {
    if (!lit.size || !table) return [];
    return table.rows.flatMap((row, place) => (Object.values(row).some((one) => lit.has(one)) ? [place] : []));
  }, [lit, table]);
}

export function Rows({ table, shown, found, pointed }: RowsProps): ReactNode {
  // The first column of words names the row: it stays in sight.
  const naming = table.names.find((name) => !isNumbers(table, name));
  const side = (name: string) => (name === naming ? "row-name" : isNumbers(table, name) ? "figure-cell" : "");
  const marked = (place: number, name: string) =>
    found.column === name || found.paths.has(nameOf([...table.path, place, name])) ? " found" : "";
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Result as a table">
      <table onPointerLeave={() => pointAt([])}>
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
          {shown.map((place, index) => {
            const row = table.rows[place];
            const skipped = place - (shown[index - 1] ?? -1) - 1;
            if (!row) return null;
            const lit = found.places.includes(place) || pointed.includes(place);
            return [
              skipped > 0 && (
                <tr key={`before-${place}`} className="gap">
                  <td colSpan={table.names.length}>
                    <span>{`… ${count(skipped, "row")}`}</span>
                  </td>
                </tr>
              ),
              <tr
                key={place}
                className={lit ? "line lit" : "line"}
                onPointerEnter={() => pointAt(onMap(Object.values(row)))}
              >
                {table.names.map((name) => (
                  <td key={name} className={`${side(name)}${marked(place, name)}`}>
                    {cellText(row[name])}
                  </td>
                ))}
              </tr>,
            ];
          })}
        </tbody>
      </table>
    </div>
  );
}
