// Values in rows and columns as shades of one hue, as hours of a week: a table that is drawn.

import { useMemo, type ReactNode } from "react";
import type { Series } from "./Chart";
import { ShadesLegend } from "./ShadesLegend";
import { shadesOf } from "./shades";

interface Props {
  readonly title: string;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

// Of more columns than this only some have room for their name.
const MOST_NAMED = 6;

export function Grid({ title, series, format }: Props): ReactNode {
  const columns = series[0]?.points.map((point) => point.label) ?? [];
  const shades = useMemo(
    () => shadesOf(series.flatMap((one) => one.points.flatMap((point) => point.value ?? []))),
    [series],
  );
  const every = Math.ceil(columns.length / MOST_NAMED);
  return (
    <figure className="chart grid-chart">
      <figcaption>{title}</figcaption>
      <div className="scroll" tabIndex={0} role="region" aria-label={title}>
        <table>
          <thead>
            <tr>
              <td />
              {columns.map((name, place) => (
                <th key={place} scope="col">
                  <span className={place % every ? "unseen" : undefined}>{name}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {series.map((row, place) => (
              <tr key={place}>
                <th scope="row">{row.name}</th>
                {row.points.map(({ label, value }, at) => {
                  const told = value === null ? "none" : format(value);
                  return (
                    <td
                      key={at}
                      className={value === null ? "none" : `shade-${shades?.classOf(value) ?? 0}`}
                      title={`${row.name}, ${label}: ${told}`}
                    >
                      <span className="unseen">{told}</span>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shades && (
        <div className="chart-ends" aria-hidden="true">
          <ShadesLegend shades={shades} format={format} />
        </div>
      )}
    </figure>
  );
}
