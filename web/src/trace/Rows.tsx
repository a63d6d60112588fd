// Rows of an observation as a table: those that are wanted, what lies between them counted, what was looked for marked.

import type { ReactNode } from "react";
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
  return (
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
          {shown.map((place, index) => {
            const row = table.rows[place];
            const skipped = place - (shown[index - 1] ?? -1) - 1;
            const lit = found.places.includes(place) ? " lit" : "";
            return (
              row && [
                skipped > 0 && (
                  <tr key={`before-${place}`} className="gap">
                    <td colSpan={table.names.length}>
                      <span>{`… ${count(skipped, "row")}`}</span>
                    </td>
                  </tr>
                ),
                <tr key={place} className={`line${lit}`}>
                  {table.names.map((name) => (
                    <td key={name} className={`${side(name)}${marked(place, name)}`}>
                      {cellText(row[name])}
                    </td>
                  ))}
                </tr>,
              ]
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
