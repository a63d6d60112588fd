// The result of a tool that changed files: what it says, and each file with its diff.

import type { ReactNode } from "react";
import type { ToolResult } from "../api/events";
import { changedFiles, type ChangedFile } from "../approval/changedFiles";
import { FileDiff, FileName } from "../approval/FileChange";
import { exact } from "../turn/words";
import { Json } from "./Json";
import { t } from "../language/t";

/** The files that a result says were changed; null where it tells of none. */
export function changedIn(data: unknown): readonly ChangedFile[] | null {
  if (typeof data !== "object" || data === null) return null;
  if ("diff_preview" in data) return changedFiles(data.diff_preview);
  return "diff_previews" in data ? changedFiles({ files: data.diff_previews }) : null;
}

export function ChangedResult({ result, files }: { result: ToolResult; files: readonly ChangedFile[] }): ReactNode {
  return (
    <div className="tool-interaction tool-interaction--result box result">
      <div className="result-head">
        <span>{t("Result received")}</span>
      </div>
      <div className="line">{exact(result.output)}</div>
      {files.map((file) => (
        <section key={file.path} className="file-change">
          <FileName file={file} />
          <FileDiff file={file} beside={false} />
        </section>
      ))}
      <div className="result-foot">
        <Json value={result.data} label="JSON" />
      </div>
    </div>
  );
}
