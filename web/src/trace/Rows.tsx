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
}

export function Rows({ table, shown, found }: RowsProps): ReactNode {
  // The first column of words names the row: it stays in sight.
  const naming = table.names.find((name) => !isNumbers(table, name));
  const side = (name: string) => (name === naming ? "row-name" : isNumbers(table, name) ? "figure-cell" : "");
  const marked = (place: number, name: string) =>
    found.column === name || found.paths.has(nameOf([...table.path, place, name])) ? " found" : "";
  const named = useMemo(() => new Set(table.rows.flatMap((row) => Object.values(row))), [table]);
  const pointed = useLit(named, false);
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
            const values = Object.values(row);
            const lit = found.places.includes(place) || (pointed.size && values.some((one) => pointed.has(one)));
            return [
              skipped > 0 && (
                <tr key={`before-${place}`} className="gap">
                  <td colSpan={table.names.length}>
                    <span>{`… ${count(skipped, "row")}`}</span>
                  </td>
                </tr>
              ),
              <tr key={place} className={lit ? "line lit" : "line"} onPointerEnter={() => pointAt(onMap(values))}>
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
