// Runs a turn again on what was recorded, and tells where it would go another way today.

import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import type { ReplayReport } from "../api/types";
import { t } from "../language/t";

export function Check({ turn }: { turn: string }): ReactNode {
  const run = useMutation({ mutationFn: () => call<ReplayReport>(`api/turns/${id(turn)}/replay`, {}) });
  const found = run.data;
  return (
    <section className="fork">
      <h2>{t("Same today?")}</h2>
      <p className="hint">
        {t("Replays it from the recording, without side effects, and shows where it would differ.")}
      </p>
      <button type="button" className="plain" disabled={run.isPending} onClick={() => run.mutate()}>
        {run.isPending ? t("Checking…") : t("Check")}
      </button>
      {run.error && (
        <p className="problem" role="alert">
          {messageOf(run.error)}
        </p>
      )}
      <div role="status">
        {found && (
          <p className={found.differences.length ? "problem" : "good-word"}>
            {found.differences.length
              ? t("{0} differences in {1} events", found.differences.length, found.compared)
              : t("The same: {0} events compared", found.compared)}
          </p>
        )}
        {found?.note && <p className="hint">{found.note}</p>}
        <ul className="differences">
          {found?.differences.map((one, place) => (
            <li key={place}>
              <code>{`${one.seq} ${one.kind}.${one.field}`}</code>
              <pre>{`- ${JSON.stringify(one.recorded)}\n+ ${JSON.stringify(one.replayed)}`}</pre>
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
