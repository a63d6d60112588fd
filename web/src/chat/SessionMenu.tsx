// What can be done with one conversation of the list.

import { useQuery } from "@tanstack/react-query";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { id, ROOT } from "../api/client";
import { meQuery } from "../api/queries";
import type { Session } from "../api/types";
import { Icon } from "../ui/icons";

export type RowMode = "show" | "rename" | "share" | "delete";

export function SessionMenu({ session, onChoose }: { session: Session; onChoose: (mode: RowMode) => void }): ReactNode {
  const { data: me } = useQuery(meQuery);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="row-menu" aria-label={`More about ${session.title || "Untitled"}`}>
        <Icon name="more" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4}>
          <DropdownMenu.Item onSelect={() => onChoose("rename")}>Rename</DropdownMenu.Item>
          {me?.sharing && <DropdownMenu.Item onSelect={() => onChoose("share")}>Share…</DropdownMenu.Item>}
          <DropdownMenu.Item asChild>
            <a href={`${ROOT}api/sessions/${id(session.id)}/export`} download>
              Export
            </a>
          </DropdownMenu.Item>
          <DropdownMenu.Item className="danger" onSelect={() => onChoose("delete")}>
            Delete…
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
