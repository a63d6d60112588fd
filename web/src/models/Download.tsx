// Weights that are downloaded, wherever they are mentioned: how far they are, Stop, and Download where nobody does.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import { isDownloading, modelsQuery } from "../api/queries";
import type { JobView, WeightsView } from "../api/types";
import { roughly } from "../turn/words";
import { t } from "../language/t";

const GIGA = 1e9;
// What a usual line at home brings in a second, for a download that has not begun.
const USUAL_BYTES = 6e6;

export const amount = (bytes: number): string =>
  bytes >= GIGA ? t("{0} GB", (bytes / GIGA).toFixed(1)) : t("{0} MB", Math.round(bytes / 1e6));

export const usualTime = (bytes: number): string => roughly(bytes / USUAL_BYTES);

interface Props {
  readonly weights: WeightsView;
  // One line, for the side.
  readonly small?: boolean;
  readonly can?: boolean;
  readonly label?: string;
}

export function Download({ weights, small = false, can = true, label = t("Download") }: Props): ReactNode {
  const client = useQueryClient();
  const { job, name } = weights;
  const running = isDownloading(weights);
  const anew = () => client.invalidateQueries({ queryKey: modelsQuery.queryKey });
  const pull = useMutation({ mutationFn: () => call<JobView>("api/models/pull", { name }), onSuccess: anew });
  const stop = useMutation({
    mutationFn: () => call(`api/jobs/${id(job?.id ?? "")}/cancel`, {}),
    onSuccess: anew,
  });
  const ran = useRef(running);
  useEffect(() => {
    // What is there now changes which model answers, and what can be chosen.
    if (ran.current && !running) void anew();
    ran.current = running;
  }, [running]);
  const ready = weights.state === "ready";
  const share = job?.fraction ?? null;
  const problem = pull.error ?? stop.error;
  if (!running && small) return null;
  return (
    <div className={`download${small ? " small" : ""}`}>
      {running && (
        <>
          <progress max={1} value={share ?? undefined} aria-label={t("Download of {0}", name)} />
          <p className="hint">{told(weights, small)}</p>
        </>
      )}
      {!running && !ready && job?.error && <p className="problem">{job.error}</p>}
      {problem && <p className="problem">{messageOf(problem)}</p>}
      {running && can && (
        <button type="button" className="plain small" disabled={stop.isPending} onClick={() => stop.mutate()}>
          {t("Stop")}
        </button>
      )}
      {!running && !ready && can && (
        <button type="button" className="plain small" disabled={pull.isPending} onClick={() => pull.mutate()}>
          {job ? t("Try again") : label}
        </button>
      )}
    </div>
  );
}

function told({ job, name, size }: WeightsView, small: boolean): string {
  const share = job?.fraction ?? null;
  const done = share === null ? "" : ` ${Math.round(100 * share)} %`;
  if (small) return t("Downloading{0}", done || "…");
  const took = job?.started_at ? Date.now() / 1000 - job.started_at : 0;
  const left = share && share > 0.02 && took > 3 ? t(", {0} left", roughly((took * (1 - share)) / share)) : "";
  const of = share === null ? "" : t(" of {0}", amount(size));
  return `${job?.message || `${name}: ${job?.status ?? ""}`}${done && ` ·${done}${of}`}${left}`;
}
