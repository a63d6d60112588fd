// Whether the folder has an index that is searched, how far one is that is being made, or the offer to make one.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, type ReactNode } from "react";
import { messageOf } from "../../api/client";
import { contextsQuery, indexFolder, jobQuery } from "./queries";
import { t } from "../../language/t";

const OVER = ["completed", "failed", "cancelled"];

export function FolderIndex({ folder }: { folder: string }): ReactNode {
  const client = useQueryClient();
  const { data: indexes } = useQuery(contextsQuery);
  const asked = useMutation({ mutationFn: () => indexFolder(folder) });
  const { data: job } = useQuery({ ...jobQuery(asked.data?.id ?? ""), enabled: Boolean(asked.data) });
  const over = job !== undefined && OVER.includes(job.status);
  useEffect(() => {
    if (over) void client.invalidateQueries({ queryKey: contextsQuery.queryKey });
  }, [over, client]);
  const own = indexes?.find(({ workspace }) => workspace === folder);
  if (!indexes || !folder) return null;
  if (asked.isPending || (asked.data && !over) || own?.state === "indexing") {
    return (
      <span className="pill" role="status">
        {job?.message ? t("indexing: {0}", job.message) : t("indexing…")}
      </span>
    );
  }
  if (own && own.state !== "failed") return <span className="pill">{t("indexed")}</span>;
  const problem = asked.error ? messageOf(asked.error) : over && job.status !== "completed" ? job.error : null;
  return (
    <>
      <button type="button" className="pill" onClick={() => asked.mutate()}>
        {t("Index this folder")}
      </button>
      {problem && (
        <span className="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
