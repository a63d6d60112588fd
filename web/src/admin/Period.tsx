import type { ReactNode } from "react";

export function Period({
  days,
  onDays,
  all = false,
}: {
  days: number;
  onDays: (days: number) => void;
  all?: boolean;
}): ReactNode {
  return (
    <label className="filter">
      <span className="unseen">Period</span>
      <select value={days} onChange={(event) => onDays(Number(event.target.value))}>
        <option value={1}>1 day</option>
        <option value={7}>7 days</option>
        <option value={30}>30 days</option>
        <option value={90}>90 days</option>
        {all && <option value={0}>All time</option>}
      </select>
    </label>
  );
}
