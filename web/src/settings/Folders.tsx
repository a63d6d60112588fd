// Folders whose files would decide something here; an operator trusts one after seeing all of it.

import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, messageOf } from "../api/client";
import type { FolderView, Me } from "../api/types";
import { exact } from "../turn/words";
import { t } from "../language/t";

const foldersQuery = queryOptions({
  queryKey: ["folders"],
  queryFn: () => call<readonly FolderView[]>("api/folders"),
});

const STATES: Readonly<Record<FolderView["state"], string>> = {
  empty: t("nothing to decide"),
  undecided: t("not trusted"),
  changed: t("changed, not trusted"),
  trusted: t("trusted"),
  refused: "refused",
};

export function Folders({ me }: { me: Me }): ReactNode {
  const { data, error } = useQuery({ ...foldersQuery, enabled: me.admin });
  if (!me.admin || (!error && !data?.length)) return null;
  return (
    <section aria-labelledby="folders-title">
      <h2 id="folders-title">{t("Folders")}</h2>
      {error && <p className="problem">{messageOf(error)}</p>}
      <ul className="cards">
        {data?.map((folder) => (
          <Folder key={folder.folder} folder={folder} />
        ))}
      </ul>
    </section>
  );
}

function Folder({ folder }: { folder: FolderView }): ReactNode {
  const client = useQueryClient();
  const decide = useMutation({
    mutationFn: (trusted: boolean) =>
      call<FolderView>("api/folders/trust", { folder: folder.folder, digest: folder.digest, trusted }),
    onSuccess: () => client.invalidateQueries(),
  });
  const trusted = folder.state === "trusted";
  const waits = folder.state === "undecided" || folder.state === "changed";
  return (
    <li className={waits ? "missing" : "ready"}>
      <div className="card-head">
        <b>{exact(folder.folder)}</b>
        <span className="grow" />
        <span className={trusted ? "good-word" : waits ? "waits" : "hint"}>{STATES[folder.state]}</span>
      </div>
      {waits && (
        <p className="hint">
          {t("This may be from someone else. None of it takes effect until you trust exactly this.")}
        </p>
      )}
      {folder.problem && <p className="problem">{folder.problem}</p>}
      {folder.changes.length > 0 && <Lines title={t("Changed since you decided")} lines={folder.changes} open />}
      {folder.parts.map((part) => (
        <Lines
          key={part.path}
          title={`${part.kind} ${exact(part.path)}`}
          lines={[...part.decides, ...part.never.map((line) => t("never takes effect: {0}", line))]}
          open={waits}
        />
      ))}
      {decide.error && <p className="problem">{messageOf(decide.error)}</p>}
      {decide.isSuccess && folder.restart && (
        <p className="hint">{t("Its settings take effect when the server restarts.")}</p>
      )}
      {folder.digest && !folder.problem && (
        <button
          type="button"
          className="plain small"
          disabled={decide.isPending}
          onClick={() => decide.mutate(!trusted)}
        >
          {trusted ? t("Stop trusting") : t("Trust exactly this")}
        </button>
      )}
    </li>
  );
}

function Lines({ title, lines, open }: { title: string; lines: readonly string[]; open: boolean }): ReactNode {
  return (
    <details open={open}>
      <summary>{title}</summary>
      <pre className="launch" tabIndex={0}>
        {lines.map((line) => exact(line)).join("\n")}
      </pre>
    </details>
  );
}
