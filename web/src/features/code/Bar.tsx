// Over the field to ask in: the folder that the session works in, its index, and how much may change.

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { exact } from "../../turn/words";
import type { TurnOptions } from "../features";
import "./code.css";
import { FolderIndex } from "./FolderIndex";
import { filesQuery } from "./queries";
import { WorkspaceDialog } from "./WorkspaceDialog";
import { t } from "../../language/t";

type Mode = NonNullable<TurnOptions["mode"]>;

const MODES: Readonly<Record<Mode, readonly [string, string]>> = {
  plan: [t("Plan"), t("shows you a plan before anything changes")],
  read: [t("Read"), t("changes nothing")],
  ask: [t("Ask"), t("asks before each change")],
  edits: [t("Edits"), t("changes files without asking; deletions and commands ask")],
};

interface Props {
  readonly session: string | null;
  readonly options: TurnOptions;
  readonly onOptions: (options: TurnOptions) => void;
}

export default function Bar({ session, options, onOptions }: Props): ReactNode {
  const [choosing, setChoosing] = useState(false);
  const { data } = useQuery({ ...filesQuery(session ?? ""), enabled: session !== null });
  const folder = options.workspace ?? data?.workspace ?? "";
  const index = options.context_name ?? data?.context_name ?? "";
  const mode = options.mode ?? asMode(data?.mode);
  // A session stays in the folder it was begun in.
  const fixed = Boolean(session && data?.workspace);
  return (
    <div className="code-bar" role="group" aria-label={t("Workspace")}>
      <button type="button" className="pill" disabled={fixed && !data} onClick={() => setChoosing(true)}>
        {folder ? (
          <>
            <span className="unseen">{t("Folder ")}</span>
            <code>{exact(folder)}</code>
          </>
        ) : (
          t("Choose a folder")
        )}
      </button>
      {index ? (
        <span className="pill">{t("index {0}", exact(index))}</span>
      ) : (
        <FolderIndex key={folder} folder={folder} />
      )}
      <label className="model-choice">
        <span className="unseen">{t("Mode")}</span>
        <select value={mode} onChange={(event) => onOptions({ ...options, mode: asMode(event.target.value) })}>
          {Object.entries(MODES).map(([name, [title]]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <span className="code-mode">{MODES[mode][1]}</span>
      {choosing && (
        <WorkspaceDialog
          {...{ folder, fixed, index }}
          onClose={() => setChoosing(false)}
          onChoose={(chosen) => {
            onOptions({ ...options, ...chosen });
            setChoosing(false);
          }}
        />
      )}
    </div>
  );
}

const asMode = (given: string | undefined): Mode => (given && given in MODES ? (given as Mode) : "ask");
