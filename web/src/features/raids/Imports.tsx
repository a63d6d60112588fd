// Importing logs: a button to choose them, and what became of each.

import type { ReactNode } from "react";
import { ImportButton as Button, ImportList as List } from "../../imports/ImportList";
import { count, exact } from "../../turn/words";
import { logs, type ImportedLog } from "./imports";
import { reportLink } from "./words";
import { t } from "../../language/t";

export function ImportButton(): ReactNode {
  return (
    <Button
      id="raid-logs"
      label={t("Import logs")}
      files="Combat logs"
      accept=".txt,.log,.gz,.zip,.json"
      begin={logs.begin}
    />
  );
}

export function ImportList({ user }: { user: string }): ReactNode {
  return (
    <List user={user} files={logs} queryKey="raids">
      {(result) => <Imported result={result} />}
    </List>
  );
}

function Imported({ result }: { result: ImportedLog }): ReactNode {
  const { lines, taken, outside, bad } = result;
  return (
    <>
      <p>
        <a href={reportLink(result.code)}>{exact(result.title)}</a>
        {` · ${count(result.fights, "fight")}, ${count(result.kills, "kill")}`}
      </p>
      <p className="hint">{linesOf({ lines, taken, outside, bad })}</p>
      {result.notes.map((note) => (
        <p key={note}>{exact(note)}</p>
      ))}
    </>
  );
}

export function linesOf(log: {
  readonly lines: number;
  readonly taken: number;
  readonly outside: number;
  readonly bad: number;
}): string {
  const [taken, outside, bad] = [log.taken, log.outside, log.bad].map((one) => one.toLocaleString("en"));
  return t("{0}: {1} imported, {2} outside fights, {3} unreadable", count(log.lines, "line"), taken, outside, bad);
}
