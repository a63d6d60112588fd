// An answer to take away. What makes the files is loaded with the first of them.

import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { dataOf, tablesOf } from "../trace/table";
import type { Turn } from "../turn/fold";
import { Icon } from "../ui/icons";
import type { DownloadKind } from "./downloads";
import { t } from "../language/t";

const TEXTS: readonly (readonly [DownloadKind, string])[] = [
  ["markdown", t("Answer as Markdown")],
  ["word", t("Answer as Word")],
];
const TABLES: readonly (readonly [DownloadKind, string])[] = [
  ["excel", t("Tables as Excel")],
  ["csv", t("Tables as CSV")],
];

const hasTables = (turn: Turn): boolean =>
  /^\s*\|?\s*:?-{3,}:?\s*\|/m.test(turn.answer?.text ?? "") ||
  turn.rows.some((row) => row.kind === "act" && row.result !== null && tablesOf(dataOf(row.result)).length > 0);

export function DownloadMenu({ turn }: { turn: Turn }): ReactNode {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="icon-button" title={t("Download")} aria-label={t("Download")}>
        <Icon name="down" size={16} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="start" sideOffset={4}>
          <Items turn={turn} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Items({ turn }: { turn: Turn }): ReactNode {
  const shown = hasTables(turn) ? [...TEXTS, ...TABLES] : TEXTS;
  return shown.map(([kind, label]) => (
    <DropdownMenu.Item
      key={kind}
      onSelect={() => void import("./downloads").then(({ download }) => download(turn, kind))}
    >
      {label}
    </DropdownMenu.Item>
  ));
}
