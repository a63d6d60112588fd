// Abilities and uptimes of one player or two, as bars with their values.

import type { ReactNode } from "react";
import type { AbilityView, UptimeView } from "../../api/types";
import { exact } from "../../turn/words";
import type { Beside } from "./beside";
import { Bar } from "./parts";
import { percent, short } from "./words";
import { t } from "../../language/t";

const NONE = "–";
const KINDS = ["answer", "act"] as const;
const SHOWN = 12;

interface PartProps<T> {
  readonly title: string;
  readonly names: readonly string[];
  readonly rows: readonly Beside<T>[];
}

export function Abilities({ title, names, rows }: PartProps<AbilityView>): ReactNode {
  const most = Math.max(1, ...rows.flatMap((row) => row.values.map((one) => one?.share_percent ?? 0)));
  const told = (one: AbilityView): string =>
    [
      short(one.total),
      one.casts && t("{0} casts", one.casts),
      one.critical_percent !== null && one.hits + one.ticks > 0 && t("{0} % crit", one.critical_percent.toFixed(0)),
      one.overheal_percent > 0 && t("{0} % overheal", one.overheal_percent.toFixed(0)),
    ]
      .filter(Boolean)
      .join(", ");
  return (
    <Bars
      {...{ title, names, rows }}
      part={(one) => one.share_percent / most}
      value={(one) => percent(one.share_percent)}
      more={told}
    />
  );
}

export function Uptimes({ title, names, rows }: PartProps<UptimeView>): ReactNode {
  return (
    <Bars
      {...{ title, names, rows }}
      part={(one) => one.percent / 100}
      value={(one) => percent(one.percent)}
      more={(one) => (one.applied > 1 ? t("{0} times", one.applied) : "")}
    />
  );
}

interface BarsProps<T> extends PartProps<T> {
  readonly part: (one: T) => number;
  readonly value: (one: T) => string;
  readonly more: (one: T) => string;
}

function Bars<T>({ title, names, rows, ...how }: BarsProps<T>): ReactNode {
  if (!rows.length) return null;
  const [first, rest] = [rows.slice(0, SHOWN), rows.slice(SHOWN)];
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {names.length > 1 && (
        <p className="chart-names" aria-hidden="true">
          {names.map((name, place) => (
            <span key={place} className={KINDS[place]}>
              {exact(name)}
            </span>
          ))}
        </p>
      )}
      <BarRows rows={first} {...{ names, ...how }} />
      {rest.length > 0 && (
        <details>
          <summary>{t("{0} more", rest.length)}</summary>
          <BarRows rows={rest} {...{ names, ...how }} />
        </details>
      )}
    </section>
  );
}

function BarRows<T>({ names, rows, part, value, more }: Omit<BarsProps<T>, "title">): ReactNode {
  return (
    <ul className="raid-bars">
      {rows.map((row) => (
        <li key={row.name}>
          <span className="raid-bar-name">{exact(row.name)}</span>
          <ul>
            {row.values.map((one, place) => (
              <li key={place}>
                {names.length > 1 && <span className="unseen">{`${names[place]}: `}</span>}
                <Bar part={one ? part(one) : 0} kind={KINDS[place] ?? "soft"} />
                <span className="figure-cell">{one ? value(one) : NONE}</span>
                <span className="hint">{one ? exact(more(one)) : ""}</span>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
