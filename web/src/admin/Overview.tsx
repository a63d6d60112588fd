import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { messageOf } from "../api/client";
import type { DayFigures } from "../api/types";
import { count, dollars, duration } from "../turn/words";
import { Chart, type Series } from "../ui/Chart";
import { Period } from "./Period";
import { figuresQuery } from "./queries";
import { sum, Tiles } from "./Tiles";
import { t } from "../language/t";

// What is not known is never shown as nothing.
function spent(days: readonly DayFigures[]): string {
  const cost = sum(days, (day) => day.cost);
  const unpriced = sum(days, (day) => day.unpriced);
  if (!unpriced) return dollars(cost);
  return cost ? t("{0} plus {1} of unknown cost", dollars(cost), count(unpriced, "turn")) : "unknown";
}

const ms = (value: number): string => duration(value / 1000);

export function Overview(): ReactNode {
  const [days, setDays] = useState(30);
  const { data, error } = useQuery(figuresQuery(days));
  const series = (name: string, kind: Series["kind"], of: (day: DayFigures) => number | null): Series => ({
    name,
    kind,
    points: data?.days.map((day) => ({ label: day.day.slice(5), value: of(day) })) ?? [],
  });
  return (
    <div className="admin-page">
      <div className="filters">
        <span className="grow" />
        <Period days={days} onDays={setDays} />
      </div>
      {error && (
        <p className="problem" role="alert">
          {messageOf(error)}
        </p>
      )}
      {data && (
        <>
          <Tiles figures={data} days={days} />
          {data.days.length ? (
            <div className="charts">
              <Chart
                title={t("Turns per day")}
                form="bar"
                series={[
                  series("turns", "answer", (day) => day.turns),
                  series("failed", "trouble", (day) => day.failed),
                ]}
              />
              <Chart
                title={t("Latency")}
                series={[series("p50", "act", (day) => day.p50_ms), series("p95", "soft", (day) => day.p95_ms)]}
                format={ms}
              />
              <Chart
                title={t(
                  "Tokens: {0}",
                  sum(data.days, (day) => day.input_tokens + day.output_tokens).toLocaleString("en"),
                )}
                form="bar"
                series={[
                  series("read", "act", (day) => day.input_tokens),
                  series("written", "answer", (day) => day.output_tokens),
                ]}
              />
              <Chart
                title={t("Cost: {0}", spent(data.days))}
                series={[series("cost", "think", (day) => (day.cost || !day.unpriced ? day.cost : null))]}
                format={dollars}
              />
              <Chart
                title={t("Ratings")}
                form="bar"
                series={[series("good", "observe", (day) => day.good), series("bad", "trouble", (day) => day.bad)]}
              />
              <Errors errors={data.errors} read={data.turns_read} />
            </div>
          ) : (
            <p className="hint">{t("Nothing was asked in this period. Ask something in the chat, then look again.")}</p>
          )}
        </>
      )}
    </div>
  );
}

function Errors({ errors, read }: { errors: Readonly<Record<string, number>>; read: number }): ReactNode {
  const kinds = Object.entries(errors);
  const most = Math.max(1, ...kinds.map(([, count]) => count));
  return (
    <figure className="chart">
      <figcaption>{t("Errors by type, in the {0} most recent finished turns", read.toLocaleString("en"))}</figcaption>
      {kinds.length === 0 && <p className="hint">{t("None.")}</p>}
      <ul className="bars">
        {kinds.map(([name, count]) => (
          <li key={name}>
            <code>{name}</code>
            <span className="bar-track" aria-hidden="true">
              <span className="bar-fill trouble" style={{ width: `${(100 * count) / most}%` }} />
            </span>
            <span>{count}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
