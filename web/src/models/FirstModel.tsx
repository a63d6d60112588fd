// No language model answers yet: what is needed, and each way to have one, to be taken right here.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import { availableQuery, connectionsQuery, isDownloading, meQuery, modelsQuery } from "../api/queries";
import type { Connected, FoundProvider, ProviderConnection } from "../api/types";
import { count, nameOf } from "../turn/words";
import { ConnectForm } from "./Connect";
import { amount, Download, usualTime } from "./Download";
import { t } from "../language/t";

// `said`: the answer over it tells already that there is none.
export function FirstModel({ said = false }: { said?: boolean }): ReactNode {
  const { data: me } = useQuery(meQuery);
  const { data: models } = useQuery(modelsQuery);
  const used = models?.providers.find((one) => one.model === models.default);
  if (!me || !models || !used || used.language_model) return null;
  const can = me.admin || me.auth === "local";
  return (
    <aside className="first-model" aria-labelledby="first-model-title">
      <h3 id="first-model-title">{t("Choose a model to chat with")}</h3>
      {!(said && can) && (
        <p>
          {can
            ? t(
                "No language model is set up yet. Until then I can only use tools: calculate, convert units, tell the time, keep notes.",
              )
            : t("No language model is set up yet. Ask the operator of this server to connect one in Settings.")}
        </p>
      )}
      {can && <Ways />}
    </aside>
  );
}

function Ways(): ReactNode {
  const { data: models } = useQuery(modelsQuery);
  const { data: available } = useQuery(availableQuery);
  const { data: connections = [] } = useQuery(connectionsQuery);
  const [entering, setEntering] = useState<ProviderConnection | null>(null);
  const weights = models?.weights.find(
    ({ name, state }) => state !== "ready" && models.providers.some((one) => one.provider === name),
  );
  if (entering) return <ConnectForm connection={entering} onClose={() => setEntering(null)} />;
  const keyed = connections.filter((one) => one.takes_key && one.source === "none");
  return (
    <ul className="ways">
      {available?.found.map((one) => (
        <Found key={one.provider} found={one} />
      ))}
      {weights && (
        <li>
          <p>
            <b>{t("On this machine")}</b>
            {isDownloading(weights)
              ? t(" is downloading and will answer as soon as it is ready.")
              : t(
                  ": {0}, {1}, {2} on a typical connection. No account needed; nothing leaves this machine.",
                  weights.title,
                  amount(weights.size),
                  usualTime(weights.size),
                )}
          </p>
          <Download weights={weights} label={t("Download {0}", amount(weights.size))} />
        </li>
      )}
      {keyed.length > 0 && (
        <li>
          <p>
            <b>{t("With a key")}</b>
            {t(": from a provider, or any OpenAI-compatible server.")}
          </p>
          <div className="connect">
            {keyed.map((one) => (
              <button key={one.provider} type="button" className="plain small" onClick={() => setEntering(one)}>
                {NAMES[one.provider] ?? nameOf(one.provider)}
              </button>
            ))}
          </div>
        </li>
      )}
    </ul>
  );
}

const NAMES: Readonly<Record<string, string>> = { openai: t("OpenAI or compatible"), ollama: "Ollama" };

// A server that answers on this machine, and was not set up: one press uses it.
function Found({ found }: { found: FoundProvider }): ReactNode {
  const client = useQueryClient();
  const { provider, address, models } = found;
  const use = useMutation({
    mutationFn: () => call<Connected>(`api/connections/${id(provider)}`, { address }, "PUT"),
    onSuccess: () => client.invalidateQueries({ queryKey: modelsQuery.queryKey }),
  });
  const name = NAMES[provider] ?? nameOf(provider);
  return (
    <li>
      <p>
        <b>{t("{0} found on this machine", name)}</b>
        {models.length ? `: ${count(models.length, "model")}.` : t(", but it has no models yet. Pull one first.")}
      </p>
      {use.error && <p className="problem">{messageOf(use.error)}</p>}
      {models.length > 0 && (
        <button type="button" className="primary small" disabled={use.isPending} onClick={() => use.mutate()}>
          {t("Use {0}", name)}
        </button>
      )}
    </li>
  );
}
