// A changed file: its path, what happens to it, how many lines, and the diff.

import type { ReactNode } from "react";
import { exact } from "../turn/words";
import { TITLES, type ChangedFile } from "./changedFiles";
import { counted } from "./diff";
import { Diff } from "./Diff";
import { t } from "../language/t";

export function FileName({ file }: { file: ChangedFile }): ReactNode {
  const { added, removed } = counted(file.lines);
  return (
    <span className="file-name">
      <code>{exact(file.source ? `${file.source} → ${file.path}` : file.path)}</code>
      <span className="file-kind">{TITLES[file.change] ?? "changed"}</span>
      <span className="file-counts">{`+${added} −${removed}`}</span>
    </span>
  );
}

export function FileDiff({ file, beside }: { file: ChangedFile; beside: boolean }): ReactNode {
  const { lines, path, before, after } = file;
  return (
    <>
      {lines.length > 0 && <Diff {...{ lines, beside, path, before, after }} />}
      {!lines.length && (
        <p className="file-note">{file.truncated ? t("It is not text.") : t("Its content stays the same.")}</p>
      )}
      {file.truncated && lines.length > 0 && <p className="file-note">{t("It is longer than shown.")}</p>}
    </>
  );
}

interface ViewProps {
  readonly beside: boolean;
  readonly onBeside: (beside: boolean) => void;
}

/** Chooses between one column and two. */
export function DiffView({ beside, onBeside }: ViewProps): ReactNode {
  return (
    <>
      <button type="button" className="pill" aria-pressed={!beside} onClick={() => onBeside(false)}>
        {t("Unified")}
      </button>
      <button type="button" className="pill" aria-pressed={beside} onClick={() => onBeside(true)}>
        {t("Side by side")}
      </button>
    </>
  );
}
