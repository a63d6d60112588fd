// What a map shows as a table, made when it is opened: for those who do not see it, and to find a place on it.

import { useState, type ReactNode } from "react";
import type { MapArea, MapPoint, Position, ToolMap } from "../trace/map";
import { keep, pointAt } from "../turn/pointing";
import { middle } from "./view";
import { t } from "../language/t";

const MOST_ROWS = 300;

interface Props {
  readonly map: ToolMap;
  readonly format: (value: number) => string;
  readonly lit: ReadonlySet<unknown>;
  readonly onShow: (at: Position) => void;
}

export function MapTable(props: Props): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details className="timeline-table map-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{t("View as table")}</summary>
      {open && <Lines {...props} />}
    </details>
  );
}

interface Line {
  readonly ids: readonly string[];
  readonly name: string;
  readonly value: number | null;
  readonly at: Position;
}

const lineOf = (one: MapPoint | MapArea): Line => ({
  ids: [one.id],
  name: one.name,
  value: one.value,
  at: "at" in one ? one.at : middle(one.ring),
});

function Lines({ map, format, lit, onShow }: Props): ReactNode {
  const flows = map.lines.map(({ from, to, value }): Line => ({
    ids: [from.id, to.id],
    name: `${from.name} → ${to.name}`,
    value,
    at: to.at,
  }));
  const lines = [...map.points.map(lineOf), ...map.areas.map(lineOf), ...flows];
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label={t("{0} as a table", map.title)}>
      <table onPointerLeave={() => pointAt([])}>
        <thead>
          <tr>
            <th scope="col">{t("name")}</th>
            <th scope="col" className="figure-cell">
              {map.unit || "value"}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.slice(0, MOST_ROWS).map(({ ids, name, value, at }, place) => (
            <tr
              key={place}
              className={ids.every((id) => lit.has(id)) ? "lit" : undefined}
              onPointerEnter={() => pointAt(ids)}
            >
              <th scope="row">
                <button
                  type="button"
                  className="more"
                  title={t("Show it on the map")}
                  onFocus={() => pointAt(ids)}
                  onBlur={() => pointAt([])}
                  onClick={() => {
                    keep(ids);
                    onShow(at);
                  }}
                >
                  {name}
                </button>
              </th>
              <td className="figure-cell">{value === null ? "–" : format(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {lines.length > MOST_ROWS && (
        <p>{t("… {0} more in the JSON", (lines.length - MOST_ROWS).toLocaleString("en"))}</p>
      )}
    </div>
  );
}
