// Runs a turn again on what was recorded, and tells where it would go another way today.

import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import type { ReplayReport } from "../api/types";

export function Check({ turn }: { turn: string }): ReactNode {
  const run = useMutation({ mutationFn: () => call<ReplayReport>(`api/turns/${id(turn)}/replay`, {}) });
  const found = run.data;
  return (
    <section className="fork">
      <h2>The same today?</h2>
      <p className="hint">Replays it on what was recorded, without effects, and tells where it would go another way.</p>
      <button type="button" className="plain" disabled={run.isPending} onClick={() => run.mutate()}>
        {run.isPending ? "Checking…" : "Check"}
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
              ? `${found.differences.length} differences in ${found.compared} events`
              : `The same: ${found.compared} events compared`}
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
