// One step of a trace: a title, a time, a line or two; parameters and results under it.

import { memo, type ReactNode } from "react";
import type { Acted, Planned, Row, Said, Turn } from "../turn/fold";
import type { Lit } from "../turn/lit";
import { isDeclined } from "../turn/declined";
import { ticked } from "../turn/plan";
import { isCommand } from "../turn/progress";
import { tallied } from "../turn/sourced";
import { dollars, duration } from "../turn/words";
import { Icon, type IconName } from "../ui/icons";
import { Child } from "./Child";
import { CommandOutput } from "./CommandOutput";
import { Json } from "./Json";
import { Result } from "./Result";
import { t } from "../language/t";

const WORDS = {
  running: t("running…"),
  waiting: t("waiting for your decision"),
  asking: t("waiting for your answer"),
  ended: t("did not end"),
  planned: "",
  done: "",
  failed: "",
};

interface Props {
  readonly row: Row;
  // For those that show more than themselves: the plan and the answer.
  readonly turn: Turn | null;
  readonly lit: Lit | null;
  // Whether tokens say anything: only those of a language model do.
  readonly counts: boolean;
  readonly children?: ReactNode;
}

export const Step = memo(function Step({ row, turn, lit, counts, children }: Props): ReactNode {
  const failed = row.kind === "trouble" || (row.kind === "act" && row.state === "failed");
  return (
    <article
      className={`step ${row.kind}${lit ? " lit" : ""}${lit?.kept ? " kept" : ""}`}
      tabIndex={-1}
      data-key={row.key}
      data-call={row.kind === "act" ? row.call.id : undefined}
    >
      <span className={`badge ${failed ? "trouble" : row.kind}`}>
        {row.number ?? <Icon name={failed ? "trouble" : row.kind} size={13} />}
      </span>
      <div className="what">
        <Call row={row}>
          <div className="head">
            <h3 className={row.kind === "act" ? "tool" : undefined}>
              {row.number !== null && <Icon name={failed ? "trouble" : row.kind} size={13} />}
              {row.title}
            </h3>
            <span className="took">{took(row, counts)}</span>
          </div>
          {lit?.kept && (
            <button type="button" className="plain small back" onClick={lit.back}>
              {t("Back to the answer")}
            </button>
          )}
        </Call>
        <Body {...{ row, turn, lit, counts }} />
        {children}
      </div>
    </article>
  );
});

function took(row: Row, counts: boolean): ReactNode {
  if (row.kind === "plan") return null;
  const parts: ReactNode[] = [];
  if (row.seconds !== null) parts.push(duration(row.seconds));
  if (row.kind === "act") {
    if (row.result?.cached) parts.push(<span className="cached">{t("cached")}</span>);
    if (row.decided) parts.push(row.decided);
    const attempts = Number(row.result?.metadata["attempts"] ?? 1);
    if (attempts > 1) parts.push(<span className="retried">{t("{0} attempts", attempts)}</span>);
  } else {
    const tokens = row.usage ? row.usage.input_tokens + row.usage.output_tokens : 0;
    if (tokens && counts) parts.push(t("{0} tok", tokens.toLocaleString("en")));
    if (row.usage?.cost) parts.push(dollars(row.usage.cost));
    if (row.attempts > 1) parts.push(<span className="retried">{t("{0} attempts", row.attempts)}</span>);
    if (row.model) parts.push(<span className="by-model">{row.model}</span>);
  }
  return parts.map((part, place) => (
    <span key={place}>
      {place > 0 && " · "}
      {part}
    </span>
  ));
}

function Body({ row, turn, lit, counts }: Props): ReactNode {
  if (row.kind === "act") return <Act row={row} lit={lit} />;
  if (row.kind === "plan") return turn && <Plan row={row} turn={turn} />;
  if (row.kind === "answer") return turn && <p className="said">{checked(turn, counts)}</p>;
  return <Thought row={row} />;
}

function Thought({ row }: { row: Said }): ReactNode {
  return <p className="said">{coded(row.text)}</p>;
}

// Names of tools stand in backticks, as everywhere in Markdown.
const coded = (text: string): ReactNode =>
  text.split(/`([^`\n]{1,80})`/).map((part, place) => (place % 2 ? <code key={place}>{part}</code> : part));

// A call of a tool: its name and its parameters. Other steps have none.
function Call({ row, children }: { row: Row; children: ReactNode }): ReactNode {
  if (row.kind !== "act") return children;
  const names = Object.keys(row.call.args);
  return (
    <div className="tool-interaction tool-interaction--use">
      {children}
      {names.length > 0 && (
        <div className="box parameters">
          {names.map((name) => (
            <Parameter key={name} name={name} value={row.call.args[name]} />
          ))}
          <Json value={row.call.args} label="JSON" />
        </div>
      )}
    </div>
  );
}

function Act({ row, lit }: { row: Acted; lit: Lit | null }): ReactNode {
  // What a sub-agent is at stands in its own line.
  const state = row.progress || (row.child ? "" : WORDS[row.state]);
  return (
    <>
      {row.child && <Child row={row} child={row.child} lit={lit} />}
      {row.result ? (
        <Result result={row.result} lit={lit} />
      ) : row.progress && isCommand(row) ? (
        <CommandOutput text={row.progress} />
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

function checked(turn: Turn, counts: boolean): string {
  const { evaluation } = turn;
  const parts: string[] = [];
  const tally = tallied(turn);
  if (tally) parts.push(tally.words);
  // A question that was declined has no answer to mark.
  if (evaluation && (counts || !isDeclined(turn, turn.model))) {
    const { completeness_score: complete, quality_score: quality } = evaluation;
    parts.push(t("checked by the model: complete {0}/10, quality {1}/10", complete, quality));
  }
  return parts.join(" · ") || "written";
}
