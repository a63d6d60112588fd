// Importing logs: a button to choose them, and each one with how far it is and what became of it.

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, type ReactNode } from "react";
import { count, exact } from "../../turn/words";
import {
  adoptJobs,
  canRetry,
  cancelImport,
  dismissImport,
  importLogs,
  isUnderWay,
  retryImport,
  useImports,
  type ImportStage,
  type LogImport,
} from "./imports";
import { reportLink } from "./words";

const STAGES: Readonly<Record<ImportStage, string>> = {
  waiting: "waits",
  sending: "uploading",
  reading: "being read",
  completed: "imported",
  failed: "failed",
  cancelled: "cancelled",
};

export function ImportButton(): ReactNode {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="primary" onClick={() => chooser.current?.click()}>
        Import logs
      </button>
      <input
        type="file"
        id="raid-logs"
        ref={chooser}
        multiple
        hidden
        tabIndex={-1}
        aria-label="Combat logs"
        accept=".txt,.log,.gz,.zip,.json"
        onChange={(event) => {
          importLogs([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}

export function ImportList({ user }: { user: string }): ReactNode {
  const imports = useImports();
  const client = useQueryClient();
  const completed = imports.filter((one) => one.stage === "completed").length;
  useEffect(() => {
    // Who is signed out is asked to sign in by the page itself.
    adoptJobs(user).catch(() => undefined);
  }, [user]);
  useEffect(() => {
    if (completed) void client.invalidateQueries({ queryKey: ["raids"] });
  }, [completed, client]);
  if (!imports.length) return null;
  return (
    <ul className="raid-imports" aria-label="Imports">
      {imports.map((one) => (
        <Import key={one.key} one={one} />
      ))}
    </ul>
  );
}

function Import({ one }: { one: LogImport }): ReactNode {
  const open = isUnderWay(one);
  const part = one.fraction === null ? "" : ` ${Math.floor(100 * one.fraction)} %`;
  return (
    <li>
      <div className="card-head">
        <b>{exact(one.name)}</b>
        <span className="grow" />
        <span className="hint" role="status">
          {open ? STAGES[one.stage] : <span className={one.stage}>{STAGES[one.stage]}</span>}
        </span>
        {open && <span className="hint raid-part">{part}</span>}
        <button
          type="button"
          className="more"
          onClick={() => (open ? void cancelImport(one.key) : dismissImport(one.key))}
        >
          {open ? "Cancel" : "Dismiss"}
          <span className="unseen">{` ${one.name}`}</span>
        </button>
      </div>
      {open && one.stage !== "waiting" && (
        <progress aria-label={`${one.name}: ${STAGES[one.stage]}`} max={1} {...progressOf(one)} />
      )}
      {one.message && <p className={one.stage === "failed" ? "problem" : "hint"}>{exact(one.message)}</p>}
      {one.stage === "failed" && canRetry(one.key) && (
        <button type="button" className="plain small" onClick={() => retryImport(one.key)}>
          Try again
        </button>
      )}
      {one.result && <Imported one={one} />}
    </li>
  );
}

const progressOf = (one: LogImport): { value?: number } => (one.fraction === null ? {} : { value: one.fraction });

function Imported({ one }: { one: LogImport }): ReactNode {
  const { result } = one;
  if (!result) return null;
  const { lines, taken, outside, bad } = result;
  return (
    <>
      <p>
        <a href={reportLink(result.code)}>{exact(result.title)}</a>
        {` · ${count(result.fights, "fight")}, ${count(result.kills, "kill")}`}
      </p>
      <p className="hint">{linesOf({ lines, taken, outside, bad })}</p>
      {result.notes.map((note) => (
        <p key={note}>{exact(note)}</p>
      ))}
    </>
  );
}

export function linesOf(log: {
  readonly lines: number;
  readonly taken: number;
  readonly outside: number;
  readonly bad: number;
}): string {
  const [taken, outside, bad] = [log.taken, log.outside, log.bad].map((one) => one.toLocaleString("en"));
  return `${count(log.lines, "line")}: ${taken} taken, ${outside} outside fights, ${bad} not readable`;
}
