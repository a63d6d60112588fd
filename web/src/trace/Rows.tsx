// Rows of an observation as a table: those that are wanted, what lies between them counted, what was looked for marked.

import { useMemo, useState, type ReactNode, type UIEvent } from "react";
import { onMap, pointAt, useLit } from "../turn/pointing";
import { count } from "../turn/words";
import { Fold, FIRST_ROWS, MOST_ROWS } from "../ui/Fold";
import { cellText } from "./cells";
import { nameOf, places, type Found } from "./find";
import { isNumbers, type Table } from "./table";
import { t } from "../language/t";

interface TableProps {
  readonly table: Table;
  readonly found: Found;
  // Its name, where there are several.
  readonly name: string | null;
  // All of it at once.
  readonly whole: boolean;
}

// A table of a result: its first rows, and those that are pointed at or sought.
export function ResultTable({ table, found, name, whole }: TableProps): ReactNode {
  const [all, setAll] = useState(whole);
  const pointed = usePointedRows(table);
  const length = table.rows.length;
  const first = all || length <= FIRST_ROWS + 1 ? Math.min(length, MOST_ROWS) : FIRST_ROWS;
  const shown = places(first, [...(found.rows.get(nameOf(table.path)) ?? []), ...pointed]);
  return (
    <div className="result-table">
      {name !== null && (
        <div className="table-name">
          <span>{name}</span>
          <span>{t("{0} rows", length.toLocaleString("en"))}</span>
        </div>
      )}
      <Rows {...{ table, shown, found, pointed }} />
      <Fold {...{ all, setAll, whole }} hidden={length - shown.length} />
    </div>
  );
}

interface RowsProps {
  readonly table: Table;
  readonly shown: readonly number[];
  readonly found: Found;
  // Those that are of what is pointed at on a map.
  readonly pointed: readonly number[];
}

function usePointedRows(table: Table): readonly number[] {
  const named = useMemo(() => new Set(table.rows.flatMap((row) => Object.values(row))), [table]);
  const lit = useLit(named, false);
  return useMemo(() => {
    if (!lit.size) return [];
    return table.rows.flatMap((row, place) => (Object.values(row).some((one) => lit.has(one)) ? [place] : []));
  }, [lit, table]);
}

// What goes on under the column that stays fades out beside it: half a figure would read as a part of the name.
const markScrolled = ({ currentTarget }: UIEvent<HTMLElement>): void => {
  currentTarget.classList.toggle("scrolled", currentTarget.scrollLeft > 0);
};

function Rows({ table, shown, found, pointed }: RowsProps): ReactNode {
  // The first column of words names the row: it stays in sight.
  const naming = table.names.find((name) => !isNumbers(table, name));
  const side = (name: string) => (name === naming ? "row-name" : isNumbers(table, name) ? "figure-cell" : "");
  const sought = found.rows.get(nameOf(table.path)) ?? [];
  const label = table.path.length ? t("Result as a table: {0}", nameOf(table.path)) : t("Result as a table");
  const marked = (place: number, name: string) =>
    found.column === name || found.paths.has(nameOf([...table.path, place, name])) ? " found" : "";
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={label} onScroll={markScrolled}>
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
            const lit = sought.includes(place) || pointed.includes(place);
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
