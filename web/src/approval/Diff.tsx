// What would change, shown so that nothing in it is hidden: one column or two, in the colours of the file's language,
// with the words that changed marked.

import { useMemo, type ReactNode } from "react";
import { languageOf, useColours, type PieceLine } from "../markdown/colours";
import { exact } from "../turn/words";
import { cut, markedLines, type Span } from "./changedWords";
import { paired, type DiffLine } from "./diff";
import { t } from "../language/t";

const SIGNS = { added: "+", removed: "-", same: " ", place: "", file: "" } as const;
const NONE: readonly Span[] = [];

interface Props {
  readonly lines: readonly DiffLine[];
  readonly beside: boolean;
  // Of a file that is known whole.
  readonly path?: string;
  readonly before?: string | null;
  readonly after?: string | null;
}

type Draw = (line: DiffLine) => ReactNode;

export function Diff({ lines, beside, path = "", before = null, after = null }: Props): ReactNode {
  const language = languageOf(path);
  const old = useColours(before, language);
  const now = useColours(after, language);
  const marks = useMemo(() => markedLines(lines), [lines]);
  const draw: Draw = (line) => {
    const coloured = line.kind === "removed" ? old?.[(line.before ?? 0) - 1] : now?.[(line.after ?? 0) - 1];
    return <LineText pieces={fitting(coloured, line.text)} marks={marks.get(line) ?? NONE} />;
  };
  return (
    <div className={`diff ${beside ? "beside" : "unified"}`} tabIndex={0} role="region" aria-label={labelOf(path)}>
      {beside ? (
        <Beside lines={lines} draw={draw} />
      ) : (
        lines.map((line, place) => <Line key={place} line={line} draw={draw} />)
      )}
    </div>
  );
}

const labelOf = (path: string): string => (path ? t("Change of {0}", exact(path)) : t("Change"));

// Only colours of exactly this line: what is shown is never the colours' own text.
function fitting(pieces: PieceLine | undefined, text: string): PieceLine {
  const whole = pieces?.map((piece) => piece.text).join("");
  return pieces && whole === text ? pieces : [{ text, className: "" }];
}

function LineText({ pieces, marks }: { pieces: PieceLine; marks: readonly Span[] }): ReactNode {
  return cut(pieces, marks).map(({ text, className, marked }, place) =>
    marked ? (
      <mark key={place} className={className || undefined}>
        {exact(text)}
      </mark>
    ) : className ? (
      <span key={place} className={className}>
        {exact(text)}
      </span>
    ) : (
      exact(text)
    ),
  );
}

function Line({ line, draw }: { line: DiffLine; draw: Draw }): ReactNode {
  const number = line.kind === "removed" ? line.before : line.after;
  return (
    <div className={`diff-line ${line.kind}`}>
      <span className="diff-number" aria-hidden="true">
        {number === null ? "" : number}
      </span>
      <span className="diff-text">
        {SIGNS[line.kind]}
        {draw(line)}
      </span>
    </div>
  );
}

function Beside({ lines, draw }: { lines: readonly DiffLine[]; draw: Draw }): ReactNode {
  return paired(lines).map(({ left, right }, place) =>
    left && left === right && left.kind !== "same" ? (
      <div key={place} className={`diff-line whole ${left.kind}`}>
        <span className="diff-text">{exact(left.text)}</span>
      </div>
    ) : (
      <div key={place} className="diff-pair">
        <Half line={left} number={left?.before ?? null} draw={draw} />
        <Half line={right} number={right?.after ?? null} draw={draw} />
      </div>
    ),
  );
}

function Half({ line, number, draw }: { line: DiffLine | null; number: number | null; draw: Draw }): ReactNode {
  return (
    <div className={`diff-line ${line?.kind ?? "none"}`}>
      <span className="diff-number" aria-hidden="true">
        {number ?? ""}
      </span>
      <span className="diff-text">
        {line && SIGNS[line.kind]}
        {line && draw(line)}
      </span>
    </div>
  );
}
