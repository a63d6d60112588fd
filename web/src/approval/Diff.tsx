// What would change, shown so that nothing in it is hidden: one column or two.

import type { ReactNode } from "react";
import { exact } from "../turn/words";
import { paired, type DiffLine } from "./diff";

const SIGNS = { added: "+", removed: "-", same: " ", place: "", file: "" } as const;

export function Diff({ lines, beside }: { lines: readonly DiffLine[]; beside: boolean }): ReactNode {
  return (
    <div className={`diff ${beside ? "beside" : "unified"}`} tabIndex={0} role="region" aria-label="Change">
      {beside ? <Beside lines={lines} /> : lines.map((line, place) => <Line key={place} line={line} />)}
    </div>
  );
}

function Line({ line }: { line: DiffLine }): ReactNode {
  const number = line.kind === "removed" ? line.before : line.after;
  return (
    <div className={`diff-line ${line.kind}`}>
      <span className="diff-number" aria-hidden="true">
        {number === null ? "" : number}
      </span>
      <span className="diff-text">{SIGNS[line.kind] + exact(line.text)}</span>
    </div>
  );
}

function Beside({ lines }: { lines: readonly DiffLine[] }): ReactNode {
  return paired(lines).map(({ left, right }, place) =>
    left && left === right && left.kind !== "same" ? (
      <div key={place} className={`diff-line whole ${left.kind}`}>
        <span className="diff-text">{exact(left.text)}</span>
      </div>
    ) : (
      <div key={place} className="diff-pair">
        <Half line={left} number={left?.before ?? null} />
        <Half line={right} number={right?.after ?? null} />
      </div>
    ),
  );
}

function Half({ line, number }: { line: DiffLine | null; number: number | null }): ReactNode {
  return (
    <div className={`diff-line ${line?.kind ?? "none"}`}>
      <span className="diff-number" aria-hidden="true">
        {number ?? ""}
      </span>
      <span className="diff-text">{line ? SIGNS[line.kind] + exact(line.text) : ""}</span>
    </div>
  );
}
