// Files that are imported: a button to choose them, and each one with how far it is and what became of it.

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, type ReactNode } from "react";
import { exact } from "../turn/words";
import { isUnderWay, type FileImport, type FileImports, type ImportStage } from "./fileImports";
import "./imports.css";
import { t } from "../language/t";

const STAGES: Readonly<Record<ImportStage, string>> = {
  waiting: t("waiting"),
  sending: t("uploading"),
  reading: t("reading"),
  completed: t("imported"),
  failed: "failed",
  cancelled: t("cancelled"),
};

interface ButtonProps {
  readonly id: string;
  readonly label: string;
  readonly files: string;
  readonly accept: string;
  readonly begin: (files: readonly File[]) => void;
}

export function ImportButton({ id, label, files, accept, begin }: ButtonProps): ReactNode {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="primary" onClick={() => chooser.current?.click()}>
        {label}
      </button>
      <input
        type="file"
        id={id}
        ref={chooser}
        multiple
        hidden
        tabIndex={-1}
        aria-label={files}
        accept={accept}
        onChange={(event) => {
          begin([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}

interface ListProps<Result> {
  readonly user: string;
  readonly files: FileImports<Result>;
  // What is asked for again when a file is imported.
  readonly queryKey: string;
  readonly children: (result: Result) => ReactNode;
}

export function ImportList<Result>({ user, files, queryKey, children }: ListProps<Result>): ReactNode {
  const imports = files.use();
  const client = useQueryClient();
  const completed = imports.filter((one) => one.stage === "completed").length;
  useEffect(() => {
    // Who is signed out is asked to sign in by the page itself.
    files.adopt(user).catch(() => undefined);
  }, [files, user]);
  useEffect(() => {
    if (completed) void client.invalidateQueries({ queryKey: [queryKey] });
  }, [completed, client, queryKey]);
  if (!imports.length) return null;
  return (
    <ul className="file-imports" aria-label={t("Imports")}>
      {imports.map((one) => (
        <Import key={one.key} one={one} files={files}>
          {one.result && children(one.result)}
        </Import>
      ))}
    </ul>
  );
}

interface ImportProps<Result> {
  readonly one: FileImport<Result>;
  readonly files: FileImports<Result>;
  readonly children: ReactNode;
}

function Import<Result>({ one, files, children }: ImportProps<Result>): ReactNode {
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
        {open && <span className="hint file-part">{part}</span>}
        <button
          type="button"
          className="more"
          onClick={() => (open ? void files.cancel(one.key) : files.dismiss(one.key))}
        >
          {open ? t("Cancel") : t("Dismiss")}
          <span className="unseen">{` ${one.name}`}</span>
        </button>
      </div>
      {open && one.stage !== "waiting" && (
        <progress aria-label={`${one.name}: ${STAGES[one.stage]}`} max={1} {...progressOf(one)} />
      )}
      {one.message && <p className={one.stage === "failed" ? "problem" : "hint"}>{exact(one.message)}</p>}
      {one.stage === "failed" && files.canRetry(one.key) && (
        <button type="button" className="plain small" onClick={() => files.retry(one.key)}>
          {t("Try again")}
        </button>
      )}
      {children}
    </li>
  );
}

const progressOf = (one: { readonly fraction: number | null }): { value?: number } =>
  one.fraction === null ? {} : { value: one.fraction };
