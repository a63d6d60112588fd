// Taking back what a turn did to files: first what that does to each, then that and nothing else.

import { useMutation, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "../../api/client";
import type { UndoneFile } from "../../api/types";
import { asChanged } from "../../approval/changedFiles";
import { FileDiff } from "../../approval/FileChange";
import { exact } from "../../turn/words";
import { Dialog } from "../../ui/Dialog";
import { undo, undoQuery } from "./queries";
import { t } from "../../language/t";

interface Props {
  readonly turn: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function UndoDialog({ turn, onClose, onDone }: Props): ReactNode {
  const { data: plan, error, refetch } = useQuery(undoQuery(turn));
  const apply = useMutation({
    mutationFn: (digest: string) => undo(turn, digest),
    onSuccess: () => {
      onDone();
      onClose();
    },
    // The files may have changed since: what is shown is what would be done now.
    onError: () => refetch(),
  });
  const problem = apply.error ?? error;
  const idle = !plan || plan.files.every(({ action }) => action === "none" || action === "conflict");
  return (
    <Dialog label={t("Undo")} className="undo-dialog" onClose={onClose}>
      <h2>{t("Undo these changes?")}</h2>
      <ul className="undo-files">
        {plan?.files.map((file) => (
          <li key={file.path} className={file.action}>
            <p>{exact(file.why)}</p>
            <Preview file={file} />
          </li>
        ))}
      </ul>
      {plan && idle && <p>{t("Nothing to undo.")}</p>}
      <p className="problem" role="alert">
        {problem ? messageOf(problem) : ""}
      </p>
      <div className="choices">
        <button
          type="button"
          className="primary"
          disabled={idle || apply.isPending}
          onClick={() => plan && apply.mutate(plan.digest)}
        >
          {t("Undo")}
        </button>
        <button type="button" className="plain" data-first onClick={onClose}>
          {t("Cancel")}
        </button>
      </div>
    </Dialog>
  );
}

function Preview({ file: { diff_preview: preview } }: { file: UndoneFile }): ReactNode {
  if (!preview) return null;
  return (
    <details>
      <summary>{t("What changes")}</summary>
      <FileDiff file={asChanged(preview)} beside={false} />
    </details>
  );
}
