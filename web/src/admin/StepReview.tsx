// Good or bad for one step, with a note.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import type { ActionResult } from "../api/types";
import type { Row } from "../turn/fold";
import { nameOf } from "../turn/words";
import { ratingsQuery } from "./queries";
import { t } from "../language/t";

export function StepReview({ turn, session, row }: { turn: string; session: string; row: Row }): ReactNode {
  const client = useQueryClient();
  const target = row.kind === "act" ? row.call.id : String(row.seq);
  const { data = [] } = useQuery(ratingsQuery(session));
  const rated = data.find((one) => one.turn_id === turn && one.target === target);
  const [note, setNote] = useState<string | null>(null);
  const rate = useMutation({
    mutationFn: (rating: string) =>
      call<ActionResult>(`admin/turns/${id(turn)}/ratings`, { target, rating, note: note ?? rated?.note ?? null }),
    onSuccess: () => client.invalidateQueries({ queryKey: ratingsQuery(session).queryKey }),
  });
  if (row.kind === "note" || row.kind === "plan") return null;
  const thought = row.kind === "think" && row.step ? t("the thought of step {0}", row.step) : row.title;
  const name = row.number === null ? thought : t("step {0}", row.number);
  const button = (rating: "good" | "bad") => (
    <button
      type="button"
      className={`tiny ${rating}`}
      aria-label={t("{0} is {1}", nameOf(name), rating)}
      aria-pressed={rated?.rating === rating}
      onClick={() => rate.mutate(rating)}
    >
      {rating}
    </button>
  );
  return (
    <div className={`step-review${rated ? " is-rated" : ""}`}>
      {button("good")}
      {button("bad")}
      <input
        type="text"
        aria-label={t("Note on {0}", name)}
        placeholder={t("note")}
        maxLength={2000}
        value={note ?? rated?.note ?? ""}
        onChange={(event) => setNote(event.target.value)}
      />
      {rate.error && <span className="problem">{messageOf(rate.error)}</span>}
    </div>
  );
}
