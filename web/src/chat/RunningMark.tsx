// A conversation in the list that is being worked on, wherever it was asked.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { runningQuery } from "../api/queries";
import { t } from "../language/t";

export function RunningMark({ session }: { session: string }): ReactNode {
  const { data } = useQuery(runningQuery);
  if (!data?.sessions.includes(session)) return null;
  return (
    <span className="is-running" title={t("Running")}>
      <span className="unseen">{t("running")}</span>
    </span>
  );
}
