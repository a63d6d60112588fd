// Putting a conversation into a folder: one that is there, or a new one.

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { foldersQuery } from "../api/queries";
import type { Session } from "../api/types";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/icons";
import { MOST_NAME } from "./FolderMenu";
import { t } from "../language/t";

interface Props {
  readonly session: Session;
  readonly onChoose: (folder: string) => void;
  readonly onClose: () => void;
}

export default function FolderDialog({ session, onChoose, onClose }: Props): ReactNode {
  const { data: folders = [] } = useQuery(foldersQuery);
  const [name, setName] = useState("");
  return (
    <Dialog label={t("Move to folder")} onClose={onClose}>
      <h2>{t("Move to folder")}</h2>
      <ul className="folder-choices">
        {folders
          .filter((one) => one.name !== session.folder)
          .map((one) => (
            <li key={one.name}>
              <button type="button" className="plain" onClick={() => onChoose(one.name)}>
                <Icon name="folder" /> {one.name}
              </button>
            </li>
          ))}
        {session.folder && (
          <li>
            <button type="button" className="plain" onClick={() => onChoose("")}>
              {t("Remove from “")}
              {session.folder}”
            </button>
          </li>
        )}
      </ul>
      <form className="folder-form" action={() => void (name.trim() && onChoose(name.trim()))}>
        <label htmlFor="new-folder">{t("New folder")}</label>
        <input
          id="new-folder"
          data-first
          value={name}
          maxLength={MOST_NAME}
          onChange={(event) => setName(event.target.value)}
        />
        <div className="choices">
          <button type="submit" className="primary" disabled={!name.trim()}>
            {t("Create and move")}
          </button>
          <button type="button" className="plain" onClick={onClose}>
            {t("Cancel")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
