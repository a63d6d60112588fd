// A fork: from before any step, with another model, another question or another observation.

import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useId, useState, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import { modelsQuery } from "../api/queries";
import type { Fork, AcceptedTurn } from "../api/types";
import { go, replayLink } from "../route";
import type { Acted, Turn } from "../turn/fold";
import { shorten } from "../turn/words";
import { t } from "../language/t";

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly text: string;
}

// What may be changed: the question, and what the kept calls observed.
function choices(turn: Turn, step: number): readonly Choice[] {
  const acted = turn.rows.filter(
    (row): row is Acted => row.kind === "act" && row.result !== null && (row.step ?? 0) < step,
  );
  return [
    { name: "question", label: t("the question"), text: turn.question },
    ...acted.map((row) => {
      const several = acted.filter((other) => other.step === row.step).length > 1;
      return {
        name: several ? `step${row.step}.${row.call.id}` : `step${row.step}`,
        label: t("what {0} found (step {1})", row.title, row.number),
        text: row.result?.output ?? "",
      };
    }),
  ];
}

// A step with what it did, numbered as in the trace beside it.
function nameOfStep(turn: Turn, step: number): string {
  const done = turn.rows.filter((row) => row.number !== null && row.step === step).map((row) => row.title);
  const others = done.length > 1 ? t(" and {0} more", done.length - 1) : "";
  return done[0] ? `${step}: ${shorten(done[0], 30)}${others}` : String(step);
}

export function Fork({ turn, now }: { turn: Turn; now: Turn }): ReactNode {
  const label = useId();
  const { data: models } = useQuery(modelsQuery);
  const steps = Math.max(1, turn.steps);
  const reached = Math.min(steps, now.steps + (now.totals ? 0 : 1));
  const [step, setStep] = useState(1);
  const [model, setModel] = useState("");
  const [edit, setEdit] = useState("");
  const [text, setText] = useState("");
  // The slider says where one is; one may still choose another step.
  useEffect(() => setStep(Math.max(1, reached)), [reached]);
  const offered = choices(turn, step);
  const chosen = offered.find((one) => one.name === edit);
  useEffect(() => setText(chosen?.text ?? ""), [chosen?.name]);
  const fork = useMutation({
    mutationFn: () => {
      const body: Fork = { step, ...(model ? { model } : {}), ...(chosen ? { edits: { [chosen.name]: text } } : {}) };
      return call<AcceptedTurn>(`api/turns/${id(turn.id)}/fork`, body);
    },
    onSuccess: (taken) => go(replayLink(turn.id, taken.turn_id)),
  });
  return (
    <form className="fork" action={() => fork.mutate()}>
      <h2>{t("Fork")}</h2>
      <p className="hint">
        {t("Continues live from before a step, as a separate conversation. Anything with side effects asks first.")}
      </p>
      <p>
        <label htmlFor={`${label}-step`}>{t("From before step")}</label>
        <select id={`${label}-step`} value={step} onChange={(event) => setStep(Number(event.target.value))}>
          {Array.from({ length: steps }, (_, place) => (
            <option key={place} value={place + 1}>
              {nameOfStep(turn, place + 1)}
            </option>
          ))}
        </select>
      </p>
      <p>
        <label htmlFor={`${label}-model`}>{t("With the model")}</label>
        <select id={`${label}-model`} value={model} onChange={(event) => setModel(event.target.value)}>
          <option value="">{t("the same ({0})", shorten(turn.model, 24))}</option>
          {models?.providers
            .filter((one) => one.configured)
            .map((one) => (
              <option key={one.model} value={one.model}>
                {one.model}
              </option>
            ))}
        </select>
      </p>
      <p>
        <label htmlFor={`${label}-edit`}>{t("Changed")}</label>
        <select id={`${label}-edit`} value={chosen ? edit : ""} onChange={(event) => setEdit(event.target.value)}>
          <option value="">{t("nothing")}</option>
          {offered.map((one) => (
            <option key={one.name} value={one.name}>
              {one.label}
            </option>
          ))}
        </select>
      </p>
      {chosen && (
        <textarea
          aria-label={t("Instead of {0}", chosen.label)}
          rows={5}
          maxLength={10_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {fork.error && (
        <p className="problem" role="alert">
          {messageOf(fork.error)}
        </p>
      )}
      <button type="submit" className="primary" disabled={fork.isPending}>
        {t("Fork from here")}
      </button>
    </form>
  );
}
