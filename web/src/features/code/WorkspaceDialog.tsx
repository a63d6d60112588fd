// Chooses the folder to work in, going down from those that one may work in, and the index to search.

import { useQuery } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import { messageOf } from "../../api/client";
import { exact } from "../../turn/words";
import { Dialog } from "../../ui/Dialog";
import type { TurnOptions } from "../features";
import { contextsQuery, foldersQuery } from "./queries";
import { t } from "../../language/t";

interface Props {
  readonly folder: string;
  readonly index: string;
  // The session has its folder already.
  readonly fixed: boolean;
  readonly onClose: () => void;
  readonly onChoose: (chosen: Pick<TurnOptions, "workspace" | "context_name">) => void;
}

export function WorkspaceDialog({ folder, index, fixed, onClose, onChoose }: Props): ReactNode {
  const [at, setAt] = useState(folder);
  const [context, setContext] = useState(index);
  return (
    <Dialog label={t("Workspace")} className="workspace-dialog" onClose={onClose}>
      <h2>{t("Workspace")}</h2>
      {fixed ? (
        <p>
          {t("This session works in ")}
          <code>{exact(folder)}</code>
          {t(". Start a new chat to use another folder.")}
        </p>
      ) : (
        <Folders at={at} onOpen={setAt} />
      )}
      <IndexChoice value={context} onChange={setContext} />
      <div className="choices">
        <button
          type="button"
          className="primary"
          disabled={!fixed && !at}
          onClick={() =>
            onChoose({
              ...(fixed ? {} : { workspace: at }),
              ...(context && context !== index ? { context_name: context } : {}),
            })
          }
        >
          {fixed ? t("Done") : t("Work here")}
        </button>
        <button type="button" className="plain" onClick={onClose}>
          {t("Cancel")}
        </button>
      </div>
    </Dialog>
  );
}

function Folders({ at, onOpen }: { at: string; onOpen: (path: string) => void }): ReactNode {
  const { data, error } = useQuery(foldersQuery(at));
  const parent = data?.parent;
  return (
    <>
      <p className="folder-path">
        {parent !== null && parent !== undefined && (
          <button type="button" className="plain small" onClick={() => onOpen(parent)}>
            {t("Up")}
          </button>
        )}
        <span aria-live="polite">{at ? <code>{exact(at)}</code> : t("Choose a folder to work in.")}</span>
      </p>
      {error && (
        <p className="problem" role="alert">
          {messageOf(error)}
        </p>
      )}
      <ul className="folders" aria-label={t("Folders")} tabIndex={-1}>
        {data?.entries.map((entry) => (
          <li key={entry.path}>
            <button type="button" onClick={() => onOpen(entry.path)}>
              <span>{exact(entry.name)}</span>
              {entry.is_git && <span className="file-kind">git</span>}
            </button>
          </li>
        ))}
        {data && !data.entries.length && <li className="file-note">{t("No folders here.")}</li>}
        {data && data.left_out > 0 && <li className="file-note">{t("{0} more are not listed.", data.left_out)}</li>}
      </ul>
    </>
  );
}

function IndexChoice({ value, onChange }: { value: string; onChange: (name: string) => void }): ReactNode {
  const { data = [] } = useQuery(contextsQuery);
  const label = useId();
  if (!data.length) return null;
  return (
    <p className="index-choice">
      <label htmlFor={label}>{t("Index to search")}</label>
      <select id={label} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{t("The only one, or none")}</option>
        {data.map(({ name }) => (
          <option key={name} value={name}>
            {exact(name)}
          </option>
        ))}
      </select>
    </p>
  );
}
