// Notifications to a phone or another program: an address that the server sends to while no page is in view.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { call, messageOf, ROOT } from "../api/client";
import type { ActionResult, NotificationState } from "../api/types";
import { t } from "../language/t";

const PATH = "api/notifications";
const KEY = ["notifications"];

export function NotifyAddress(): ReactNode {
  const { data } = useQuery({ queryKey: KEY, queryFn: () => call<NotificationState>(PATH) });
  if (!data) return null;
  return (
    <div className="notify-address">
      <h3>{t("When no page is open")}</h3>
      {data.domains.length || data.url ? (
        <AddressForm state={data} />
      ) : (
        <p className="hint">
          {t(
            "Approvals and answers can reach your phone through ntfy or a webhook, once the operator allows it (GLASSLOOP_NOTIFY_DOMAINS).",
          )}
        </p>
      )}
    </div>
  );
}

function AddressForm({ state }: { state: NotificationState }): ReactNode {
  const client = useQueryClient();
  const [url, setUrl] = useState(state.url);
  const [format, setFormat] = useState(state.format);
  const [details, setDetails] = useState(state.details);
  useEffect(() => setUrl(state.url), [state.url]);
  const again = () => client.invalidateQueries({ queryKey: KEY });
  const page = `${window.location.origin}${ROOT}`;
  const save = useMutation({
    mutationFn: () => call<NotificationState>(PATH, { url: url.trim(), format, details, page }, "PUT"),
    onSuccess: again,
  });
  const remove = useMutation({ mutationFn: () => call<ActionResult>(PATH, undefined, "DELETE"), onSuccess: again });
  const test = useMutation({ mutationFn: () => call<ActionResult>(`${PATH}/test`, {}), onSettled: again });
  const changed = url.trim() !== state.url || format !== state.format || details !== state.details;
  const busy = save.isPending || remove.isPending || test.isPending;
  const problem = save.error ?? remove.error ?? test.error;
  const done = changed ? "" : test.isSuccess ? t("Sent.") : save.isSuccess ? t("Saved.") : "";
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        test.reset();
        save.mutate();
      }}
    >
      <div className="filters">
        <label className="filter grow">
          <span>{t("Notification address")}</span>
          <input
            type="url"
            value={url}
            placeholder="ntfy.sh/your-topic"
            autoComplete="off"
            spellCheck={false}
            maxLength={500}
            onChange={(event) => setUrl(event.target.value)}
          />
        </label>
        <label className="filter">
          <span>{t("Format")}</span>
          <select value={format} onChange={(event) => setFormat(event.target.value as typeof format)}>
            <option value="ntfy">ntfy</option>
            <option value="json">{t("JSON webhook")}</option>
          </select>
        </label>
      </div>
      <label className="switch">
        <input type="checkbox" role="switch" checked={details} onChange={(event) => setDetails(event.target.checked)} />
        <span>{t("Include the beginning of the question or answer")}</span>
      </label>
      <div className="notify-buttons">
        <button type="submit" className="plain" disabled={busy || !changed || !url.trim()}>
          {t("Save")}
        </button>
        {state.url && (
          <>
            <button type="button" className="plain" disabled={busy || changed} onClick={() => test.mutate()}>
              {t("Send test")}
            </button>
            <button type="button" className="plain danger" disabled={busy} onClick={() => remove.mutate()}>
              {t("Remove")}
            </button>
          </>
        )}
        <span className="hint" role="status">
          {done}
        </span>
      </div>
      {(problem || state.problem) && (
        <p className="problem" role="alert">
          {problem ? messageOf(problem) : t("The last notification was not delivered. {0}", state.problem)}
        </p>
      )}
      <p className="hint">
        {t(
          "Sent when an answer is ready or needs you while no page of yours is in view: the title of the conversation and a link. Allowed: {0}.",
          state.domains.join(", "),
        )}
      </p>
    </form>
  );
}
