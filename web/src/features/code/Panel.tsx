// The files that a session changed, turn by turn, each with its diff; taking a turn back; and a file to look at.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import type { TurnChanges } from "../../api/types";
import { asChanged } from "../../approval/changedFiles";
import { DiffView, FileDiff, FileName } from "../../approval/FileChange";
import { count, when } from "../../turn/words";
import type { OpenedFile } from "../features";
import "./code.css";
import { FileDialog } from "./FileDialog";
import { filesKey, filesQuery } from "./queries";
import { UndoDialog } from "./UndoDialog";
import { t } from "../../language/t";

interface Props {
  readonly session: string;
  readonly version: string;
  readonly busy: boolean;
  readonly opened: OpenedFile | null;
  readonly onClose: () => void;
}

export default function Panel({ session, version, busy, opened, onClose }: Props): ReactNode {
  const client = useQueryClient();
  const { data } = useQuery(filesQuery(session));
  const [beside, setBeside] = useState(false);
  const [undoing, setUndoing] = useState<string | null>(null);
  const refresh = () => client.invalidateQueries({ queryKey: filesKey(session) });
  useEffect(() => void refresh(), [session, version]);
  const turns = data?.turns ?? [];
  return (
    <>
      {turns.length > 0 && (
        <section className="changes" aria-label={t("Changed files")}>
          <header>
            <h2>{t("Changed files")}</h2>
            <div className="diff-tools">
              <DiffView beside={beside} onBeside={setBeside} />
            </div>
          </header>
          {turns.map((turn) => (
            <Turn key={turn.turn_id} {...{ turn, beside, busy }} onUndo={() => setUndoing(turn.turn_id)} />
          ))}
        </section>
      )}
      {undoing && <UndoDialog turn={undoing} onClose={() => setUndoing(null)} onDone={() => void refresh()} />}
      {opened && <FileDialog key={opened.path} {...{ session, opened, version, onClose }} />}
    </>
  );
}

interface TurnProps {
  readonly turn: TurnChanges;
  readonly beside: boolean;
  readonly busy: boolean;
  readonly onUndo: () => void;
}

function Turn({ turn, beside, busy, onUndo }: TurnProps): ReactNode {
  const files = turn.files.map(asChanged);
  const conflicts = new Set(turn.conflicts);
  const what = turn.undoes ? t("Undo") : t("Change");
  return (
    <section className={turn.undone ? "changed-turn undone" : "changed-turn"}>
      <div className="changed-head">
        <h3>{t("{0} of {1}, {2}", what, count(files.length + turn.left_out, "file"), when(turn.at))}</h3>
        {turn.undone ? (
          <span className="file-kind">{conflicts.size ? t("partly undone") : t("undone")}</span>
        ) : (
          // While a turn runs it may change the same files.
          <button type="button" className="plain small" disabled={busy} onClick={onUndo}>
            {turn.undoes ? t("Redo") : t("Undo")}
          </button>
        )}
      </div>
      {files.map((file) => (
        <ChangedFileView key={file.path} {...{ file, beside }} conflict={conflicts.has(file.path)} />
      ))}
      {turn.left_out > 0 && <p className="file-note">{t("{0} more are not shown.", turn.left_out)}</p>}
    </section>
  );
}

interface FileProps {
  readonly file: ReturnType<typeof asChanged>;
  readonly beside: boolean;
  readonly conflict: boolean;
}

// Drawn when it is opened: some are long.
function ChangedFileView({ file, beside, conflict }: FileProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details
      className={conflict ? "changed-file conflict" : "changed-file"}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <FileName file={file} />
        {conflict && <span className="file-kind">{t("conflict; left as is")}</span>}
      </summary>
      {open && <FileDiff file={file} beside={beside} />}
    </details>
  );
}
