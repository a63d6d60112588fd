// One step of a trace: a title, a time, a line or two; parameters and results under it.

import { memo, type ReactNode } from "react";
import { ticked, type Acted, type Planned, type Row, type Said, type Turn } from "../turn/fold";
import { dollars, duration } from "../turn/words";
import { Icon, type IconName } from "../ui/icons";
import { Json, Result } from "./Result";

const WORDS = {
  running: "running…",
  waiting: "waits for your decision",
  ended: "did not end",
  planned: "",
  done: "",
  failed: "",
};

interface Props {
  readonly row: Row;
  // For those that show more than themselves: the plan and the answer.
  readonly turn: Turn | null;
  readonly lit: boolean;
  readonly found: string | null;
  readonly children?: ReactNode;
}

export const Step = memo(function Step({ row, turn, lit, found, children }: Props): ReactNode {
  const failed = row.kind === "trouble" || (row.kind === "act" && row.state === "failed");
  return (
    <article
      className={`step ${row.kind}${lit ? " lit" : ""}`}
      tabIndex={-1}
      data-key={row.key}
      data-call={row.kind === "act" ? row.call.id : undefined}
    >
      <span className={`badge ${failed ? "trouble" : row.kind}`}>
        {row.number ?? <Icon name={row.kind === "plan" ? "plan" : failed ? "trouble" : "note"} size={13} />}
      </span>
      <div className="what">
        <div className="head">
          <h4 className={row.kind === "act" ? "tool" : undefined}>
            {row.number !== null && <Icon name={(failed ? "trouble" : row.kind) as IconName} size={13} />}
            {row.title}
          </h4>
          <span className="took">{took(row)}</span>
        </div>
        <Body {...{ row, turn, found }} />
        {children}
      </div>
    </article>
  );
});

function took(row: Row): ReactNode {
  if (row.kind === "plan") return null;
  const parts: ReactNode[] = [];
  if (row.seconds !== null) parts.push(duration(row.seconds));
  if (row.kind === "act") {
    if (row.result?.cached) parts.push(<span className="cached">cached</span>);
    if (row.decided) parts.push(row.decided);
  } else {
    const tokens = row.usage ? row.usage.input_tokens + row.usage.output_tokens : 0;
    if (tokens) parts.push(`${tokens.toLocaleString("en")} tok`);
    if (row.usage?.cost) parts.push(dollars(row.usage.cost));
    if (row.attempts > 1) parts.push(<span className="retried">{`${row.attempts} attempts`}</span>);
  }
  return parts.map((part, place) => (
    <span key={place}>
      {place > 0 && " · "}
      {part}
    </span>
  ));
}

function Body({ row, turn, found }: { row: Row; turn: Turn | null; found: string | null }): ReactNode {
  if (row.kind === "act") return <Act row={row} found={found} />;
  if (row.kind === "plan") return turn && <Plan row={row} turn={turn} />;
  if (row.kind === "answer") return turn && <p className="said">{checked(turn)}</p>;
  return <Thought row={row} />;
}

function Thought({ row }: { row: Said }): ReactNode {
  return <p className="said">{row.text}</p>;
}

function Act({ row, found }: { row: Acted; found: string | null }): ReactNode {
  const names = Object.keys(row.call.args);
  const state = row.progress || WORDS[row.state];
  return (
    <>
      <div className="tool-interaction tool-interaction--use">
        {names.length > 0 && (
          <div className="box parameters">
            {names.map((name) => (
              <Parameter key={name} name={name} value={row.call.args[name]} />
            ))}
            <Json value={row.call.args} label="JSON" />
          </div>
        )}
      </div>
      {row.result ? (
        <Result result={row.result} found={found} />
      ) : (
        state && <p className={`state ${row.state}`}>{state}</p>
      )}
    </>
  );
}

const LONG = 160;

// A value as `key: value` shows it: text in quotes, so that "true" and true differ. A long one is folded.
function Parameter({ name, value }: { name: string; value: unknown }): ReactNode {
  const text = JSON.stringify(value) ?? "";
  if (text.length <= LONG) {
    return (
      <div className="line">
        <span className="key">{`${name}: `}</span>
        {text}
      </div>
    );
  }
  return (
    <details className="line long">
      <summary>
        <span className="key">{`${name}: `}</span>
        {`${text.slice(0, LONG)}…`}
      </summary>
      {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
    </details>
  );
}

const TICKS: Record<string, IconName> = { pending: "dot", running: "wait", done: "check", failed: "cross" };

function Plan({ row, turn }: { row: Planned; turn: Turn }): ReactNode {
  return (
    <ol className="plan">
      {ticked(turn, row).map(({ step, state }) => (
        <li key={step.step_number} className={`plan-step ${state}`}>
          <Icon name={TICKS[state] ?? "dot"} size={13} />
          <span>
            {step.description} <code>{step.tool_name}</code>
            <span className="unseen">{` (${state})`}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}

function checked({ evidence, evaluation }: Turn): string {
  const parts: string[] = [];
  if (evidence?.figures.length) parts.push(`${evidence.figures.length} figures, ${evidence.sourced} sourced`);
  if (evaluation) parts.push(`completeness ${evaluation.completeness_score}`, `quality ${evaluation.quality_score}`);
  return parts.join(" · ") || "written";
}
