// The models there are: who answers, how each provider is connected, what the doctor found, and what is downloaded.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, messageOf } from "../api/client";
import { availableQuery, connectionsQuery, isDownloading, modelsQuery } from "../api/queries";
import type { Examination, Me, ModelInfo, Models as ModelsView, ProbeView, WeightsView } from "../api/types";
import { Connect } from "../models/Connect";
import { amount, Download } from "../models/Download";
import { count, nameOf, when } from "../turn/words";
import { DefaultModel } from "./DefaultModel";
import { t } from "../language/t";

const STATES: Record<string, string> = { absent: t("not downloaded"), ready: t("downloaded") };

export function Models({ me }: { me: Me }): ReactNode {
  const { data, error } = useQuery(modelsQuery);
  const can = me.admin || me.auth === "local";
  return (
    <section aria-labelledby="models-title" id="models">
      <h2 id="models-title">{t("Models")}</h2>
      {error && <p className="problem">{messageOf(error)}</p>}
      {data && <DefaultModel {...{ data, can }} />}
      {me.auth !== "local" && me.admin && (
        <p className="hint">
          {t("Users can choose the default model and those that rules allow, such as ")}
          <code>openai:*</code>
          {t(": Admin → Access.")}
        </p>
      )}
      <ul className="cards">
        {data?.providers
          .filter((one) => one.configured || !waits(data, one.provider))
          .map((one) => (
            <ProviderCard key={one.provider} {...{ me, can, data }} info={one} />
          ))}
      </ul>
      <h3>{t("On this machine")}</h3>
      <ul className="cards">
        {data?.weights.map((one) => (
          <WeightsCard key={one.name} weights={one} can={can} />
        ))}
      </ul>
    </section>
  );
}

// What is only to be downloaded stands once: below, with its button.
const waits = (models: ModelsView, name: string): boolean => models.weights.some((one) => one.name === name);

interface CardProps {
  readonly me: Me;
  readonly can: boolean;
  readonly data: ModelsView;
  readonly info: ModelInfo;
}

function ProviderCard({ me, can, data, info }: CardProps): ReactNode {
  const { provider, configured } = info;
  const { data: available } = useQuery({ ...availableQuery, enabled: configured });
  const { data: connections } = useQuery({ ...connectionsQuery, enabled: can });
  const connection = connections?.find((one) => one.provider === provider);
  const models = available?.models.filter((one) => one.provider === provider) ?? [];
  const problem = available?.problems.find((one) => one.provider === provider);
  // The model that would answer: of those that the provider has, where it tells.
  const used = data.default.startsWith(`${provider}:`) || data.default === provider ? data.default : info.model;
  const shown = used === data.default || !models.length || models.some((one) => one.name === used);
  return (
    <li className={configured ? "ready" : "missing"}>
      <div className="card-head">
        <b>{provider}</b>
        {used === data.default && <span className="pill">{t("default")}</span>}
        <span className="grow" />
        <span className={configured && !problem ? "good-word" : "hint"}>
          {problem ? t("unreachable") : configured ? t("ready") : t("not set up")}
        </span>
      </div>
      {shown && configured && used !== provider && (
        <p>
          <code>{used}</code>
        </p>
      )}
      <p className="hint">
        {nameOf(info.note)}
        {configured && models.length > 1 && t("; {0} to choose from", count(models.length, "model"))}
        {!configured && info.variable && !connection && t(". Set {0} on the server.", info.variable)}
      </p>
      {problem && <p className="problem">{problem.message}</p>}
      {connection && <Connect connection={connection} />}
      <Doctor
        found={data.examined.find((other) => other.model === used) ?? null}
        model={used}
        can={me.admin && configured && info.language_model}
      />
    </li>
  );
}

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
          {t(
            "Tested {0}: {1}, {2}, {3} tokens of context{4}.",
            when(found.at),
            found.abilities.native_tools ? t("calls tools natively") : t("no native tool calls"),
            found.abilities.json_schema ? t("follows a schema") : t("does not follow a schema"),
            found.abilities.context_tokens.toLocaleString("en"),
            found.protocol ? t("; works best with “{0}”", found.protocol) : "",
          )}
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
          {look.isPending ? t("Testing…") : found ? t("Test again") : t("Test")}
        </button>
      )}
    </div>
  );
}

function WeightsCard({ weights, can }: { weights: WeightsView; can: boolean }): ReactNode {
  const ready = weights.state === "ready";
  const part = t("{0} of {1}", amount(weights.bytes), amount(weights.size));
  return (
    <li className={ready ? "ready" : "missing"}>
      <div className="card-head">
        <b>{weights.name}</b>
        <span className="grow" />
        <span className={ready ? "good-word" : "hint"}>
          {isDownloading(weights)
            ? t("downloading")
            : weights.state === "partial"
              ? part
              : (STATES[weights.state] ?? weights.state)}
        </span>
      </div>
      <p className="hint">{weights.purpose}</p>
      <p className="hint">{`${weights.title}, ${amount(weights.size)}`}</p>
      <Download {...{ weights, can }} />
    </li>
  );
}
