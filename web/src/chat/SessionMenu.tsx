// What can be done with one conversation of the list.

import { useQuery } from "@tanstack/react-query";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { id, ROOT } from "../api/client";
import { meQuery } from "../api/queries";
import type { Session } from "../api/types";
import { go, printLink } from "../route";
import { Icon } from "../ui/icons";
import { t } from "../language/t";

const EXPORTS = [
  ["markdown", t("Markdown")],
  ["json", "JSON"],
  ["jsonl", t("Glassloop file")],
] as const;

export type RowMode = "show" | "rename" | "share" | "folder" | "delete";

// Where a conversation is listed from now on.
export type SessionChange = Partial<Pick<Session, "pinned" | "archived" | "folder">>;

interface Props {
  readonly session: Session;
  readonly onChoose: (mode: RowMode) => void;
  readonly onChange: (change: SessionChange) => void;
}

export function SessionMenu({ session, onChoose, onChange }: Props): ReactNode {
  const { data: me } = useQuery(meQuery);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="row-menu" aria-label={t("More about {0}", session.title || t("Untitled"))}>
        <Icon name="more" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4}>
          <DropdownMenu.Item onSelect={() => onChoose("rename")}>{t("Rename")}</DropdownMenu.Item>
          {!session.archived && (
            <DropdownMenu.Item onSelect={() => onChange({ pinned: !session.pinned })}>
              {session.pinned ? t("Unpin") : t("Pin")}
            </DropdownMenu.Item>
          )}
          <DropdownMenu.Item onSelect={() => onChoose("folder")}>{t("Move to folder…")}</DropdownMenu.Item>
          {me?.sharing && <DropdownMenu.Item onSelect={() => onChoose("share")}>{t("Share…")}</DropdownMenu.Item>}
          <Export session={session.id} />
          <DropdownMenu.Item onSelect={() => onChange({ archived: !session.archived })}>
            {session.archived ? t("Unarchive") : t("Archive")}
          </DropdownMenu.Item>
          <DropdownMenu.Item className="danger" onSelect={() => onChoose("delete")}>
            {t("Delete…")}
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Export({ session }: { session: string }): ReactNode {
  return (
    <DropdownMenu.Sub>
      <DropdownMenu.SubTrigger className="sub-menu">{t("Export")}</DropdownMenu.SubTrigger>
      <DropdownMenu.Portal>
        <DropdownMenu.SubContent className="menu" collisionPadding={8}>
          {EXPORTS.map(([format, label]) => (
            <DropdownMenu.Item key={format} asChild>
              <a href={`${ROOT}api/sessions/${id(session)}/export?format=${format}`} download>
                {label}
              </a>
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Item onSelect={() => go(printLink(session))}>{t("PDF (print)")}</DropdownMenu.Item>
        </DropdownMenu.SubContent>
      </DropdownMenu.Portal>
    </DropdownMenu.Sub>
  );
}
