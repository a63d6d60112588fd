// The models there are, what the doctor found, and what is downloaded.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { call, id, messageOf, ROOT } from "../api/client";
import { modelsQuery } from "../api/queries";
import type { Examination, ProbeView, JobView, Me, Models as ModelsView, WeightsView } from "../api/types";
import { nameOf, when } from "../turn/words";

const STATES: Record<string, string> = { absent: "not downloaded", ready: "downloaded" };

const GIGA = 1e9;
const amount = (bytes: number): string =>
  bytes >= GIGA ? `${(bytes / GIGA).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;

export function Models({ me }: { me: Me }): ReactNode {
  const { data, error } = useQuery(modelsQuery);
  return (
    <section aria-labelledby="models-title">
      <h2 id="models-title">Models</h2>
      {error && <p className="problem">{messageOf(error)}</p>}
      <ul className="cards">
        {data?.providers
          .filter((one) => one.configured || !waits(data, one.provider))
          .map((one) => (
            <li key={one.provider} className={one.configured ? "ready" : "missing"}>
              <div className="card-head">
                <b>{one.provider}</b>
                {one.model === data.default && <span className="pill">default</span>}
                <span className="grow" />
                <span className={one.configured ? "good-word" : "hint"}>{one.configured ? "ready" : "not set up"}</span>
              </div>
              {one.model !== one.provider && (
                <p>
                  <code>{one.model}</code>
                </p>
              )}
              <p className="hint">
                {nameOf(
                  one.configured || !one.variable ? one.note : `${one.note}. Set ${one.variable} and start again.`,
                )}
              </p>
              <Doctor
                found={data.examined.find((other) => other.model === one.model) ?? null}
                model={one.model}
                can={me.admin && one.configured && one.language_model}
              />
            </li>
          ))}
      </ul>
      <h3>On this machine</h3>
      <ul className="cards">
        {data?.weights.map((one) => (
          <Weights key={one.name} weights={one} can={me.admin || me.auth === "local"} />
        ))}
      </ul>
    </section>
  );
}

// What is only to be downloaded stands once: below, with its button.
const waits = (models: ModelsView, name: string): boolean => models.weights.some((one) => one.name === name);

function Doctor({ found, model, can }: { found: ProbeView | null; model: string; can: boolean }): ReactNode {
  const client = useQueryClient();
  const look = useMutation({
    mutationFn: () => call<Examination>("admin/models/examine", { model }),
    onSuccess: () => client.invalidateQueries({ queryKey: modelsQuery.queryKey }),
  });
  return (
    <div className="doctor">
      {found && (
        <p className="hint">
          {`The doctor, ${when(found.at)}: ${found.abilities.native_tools ? "calls tools itself" : "no tool calls of its own"}, ${found.abilities.json_schema ? "keeps to a schema" : "keeps to no schema"}, ${found.abilities.context_tokens.toLocaleString("en")} tokens of context${found.protocol ? `; best asked by “${found.protocol}”` : ""}.`}
        </p>
      )}
      {look.data && (
        <ul className="findings">
          {look.data.findings.map((one) => (
            <li key={one.probe} className={one.ok === false ? "trouble" : one.ok ? "good-word" : ""}>
              {`${one.ok === false ? "✗" : one.ok ? "✓" : "·"} ${one.probe}: ${one.detail}`}
            </li>
          ))}
        </ul>
      )}
      {look.error && <p className="problem">{messageOf(look.error)}</p>}
      {can && (
        <button type="button" className="plain small" disabled={look.isPending} onClick={() => look.mutate()}>
          {look.isPending ? "The doctor is asking…" : found ? "Examine again" : "Examine"}
        </button>
      )}
    </div>
  );
}

function Weights({ weights, can }: { weights: WeightsView; can: boolean }): ReactNode {
  const client = useQueryClient();
  const [job, setJob] = useState<JobView | null>(null);
  const pull = useMutation({
    mutationFn: () => call<JobView>("api/models/pull", { name: weights.name }),
    onSuccess: setJob,
  });
  const running = job !== null && (job.status === "queued" || job.status === "running");
  useEffect(() => {
    if (!job || !running) return;
    const source = new EventSource(`${ROOT}api/jobs/${id(job.id)}/events`);
    source.addEventListener("job", (message: MessageEvent<string>) => {
      const now = JSON.parse(message.data) as JobView;
      setJob(now);
      if (now.status === "queued" || now.status === "running") return;
      source.close();
      void client.invalidateQueries({ queryKey: modelsQuery.queryKey });
    });
    return () => source.close();
  }, [job?.id, running]);
  const ready = weights.state === "ready";
  return (
    <li className={ready ? "ready" : "missing"}>
      <div className="card-head">
        <b>{weights.name}</b>
        <span className="grow" />
        <span className={ready ? "good-word" : "hint"}>
          {running
            ? "downloading"
            : weights.state === "partial"
              ? `${amount(weights.bytes)} of ${amount(weights.size)}`
              : (STATES[weights.state] ?? weights.state)}
        </span>
      </div>
      <p className="hint">{weights.purpose}</p>
      <p className="hint">{`${weights.title}, ${amount(weights.size)}`}</p>
      {running && <progress max={1} value={job.fraction ?? undefined} aria-label={`Download of ${weights.name}`} />}
      {job && (
        <p className={job.error ? "problem" : "hint"}>
          {job.error ?? (running ? job.message || job.status : job.status)}
        </p>
      )}
      {pull.error && <p className="problem">{messageOf(pull.error)}</p>}
      {can && !ready && !running && (
        <button type="button" className="plain small" onClick={() => pull.mutate()}>
          Download
        </button>
      )}
      {running && (
        <button type="button" className="plain small" onClick={() => void call(`api/jobs/${id(job.id)}/cancel`, {})}>
          Stop
        </button>
      )}
    </li>
  );
}
