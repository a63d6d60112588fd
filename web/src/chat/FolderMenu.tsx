// What can be done with a folder of conversations. One without conversations is gone.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { DropdownMenu } from "radix-ui";
import { useState, type ReactNode } from "react";
import { call, messageOf } from "../api/client";
import type { ActionResult } from "../api/types";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/icons";
import { t } from "../language/t";

export const MOST_NAME = 80;

export function FolderMenu({ folder }: { folder: string }): ReactNode {
  const client = useQueryClient();
  const [renames, setRenames] = useState(false);
  const [name, setName] = useState(folder);
  const rename = useMutation({
    mutationFn: (new_name: string) => call<ActionResult>("api/sessions/folders", { name: folder, new_name }, "PATCH"),
    onSuccess: async () => {
      setRenames(false);
      await client.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="row-menu" aria-label={t("More about the folder {0}", folder)}>
          <Icon name="more" />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" sideOffset={4}>
            <DropdownMenu.Item onSelect={() => setRenames(true)}>{t("Rename…")}</DropdownMenu.Item>
            <DropdownMenu.Item onSelect={() => rename.mutate("")}>
              {t("Remove folder, keep conversations")}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {renames && (
        <Dialog label={t("Rename folder")} onClose={() => setRenames(false)}>
          <h2>{t("Rename folder")}</h2>
          <form className="folder-form" action={() => void (name.trim() && rename.mutate(name.trim()))}>
            <label htmlFor="folder-name">{t("Name")}</label>
            <input
              id="folder-name"
              data-first
              value={name}
              maxLength={MOST_NAME}
              onChange={(event) => setName(event.target.value)}
            />
            {rename.error && (
              <p className="problem" role="alert">
                {messageOf(rename.error)}
              </p>
            )}
            <div className="choices">
              <button type="submit" className="primary" disabled={!name.trim() || rename.isPending}>
                {t("Rename")}
              </button>
              <button type="button" className="plain" onClick={() => setRenames(false)}>
                {t("Cancel")}
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
