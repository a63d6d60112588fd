// One session in full: what was asked, every trace, what people think of it; and what can be made of it.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import { sessionOf } from "../api/queries";
import type { AddedCase, Rated, Session } from "../api/types";
import { go } from "../route";
import { Trace, type TraceHandle } from "../trace/Trace";
import { Conversation, type Entry } from "../turn/conversation";
import { AnswerText } from "../turn/Evidence";
import { callRow } from "../turn/fold";
import { useLighting } from "../turn/lit";
import { RailPicture } from "../turn/Rail";
import { Versions } from "../turn/Versions";
import { count, titled } from "../turn/words";
import { Icon } from "../ui/icons";
import { StepReview } from "./StepReview";
import { t } from "../language/t";

export function Review({ session }: { session: string }): ReactNode {
  const [conversation] = useState(() => new Conversation());
  const shown = useSyncExternalStore(conversation.subscribe, conversation.read);
  const { data, error } = useQuery({ queryKey: ["admin", "session", session], queryFn: () => sessionOf(session) });
  useEffect(() => {
    if (data && !conversation.read().entries.length) conversation.show(data.turns);
  }, [data, conversation]);
  useEffect(() => () => conversation.clear(null), [conversation]);
  return (
    <aside className="review" aria-label={t("Session")} data-scrolls tabIndex={0}>
      {error && (
        <p className="problem" role="alert">
          {messageOf(error)}
        </p>
      )}
      <div className="review-head">
        <h2>{titled(data?.session.title ?? "")}</h2>
        <span className="pill">{count(data?.turns.length ?? 0, "turn")}</span>
        <button type="button" className="plain small" aria-label={t("Close")} onClick={() => go("#/sessions")}>
          <Icon name="close" />
        </button>
      </div>
      {data && <Rate session={data.session} />}
      {shown.earlier.length > 0 && (
        <button type="button" className="plain small" onClick={() => conversation.showEarlier()}>
          {t("Show earlier questions")}
        </button>
      )}
      {shown.entries.map((entry) => (
        <Reviewed
          key={entry.turn.id}
          {...{ entry, session }}
          user={data?.session.user_id ?? ""}
          onChoose={(version) => conversation.choose(version)}
        />
      ))}
    </aside>
  );
}

function Rate({ session }: { session: Session }): ReactNode {
  const client = useQueryClient();
  const [note, setNote] = useState(session.rating_note ?? "");
  const rate = useMutation({
    mutationFn: (rating: string) =>
      call<Rated>(`admin/sessions/${id(session.id)}/rating`, { rating, note: note || null }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["admin"] }),
  });
  const button = (rating: "good" | "bad", label: string) => (
    <button
      type="button"
      className={`plain small ${rating}`}
      aria-pressed={session.rating === rating}
      onClick={() => rate.mutate(rating)}
    >
      {label}
    </button>
  );
  return (
    <div className="rate actions">
      {button("good", t("Good"))}
      {button("bad", t("Bad"))}
      <input
        type="text"
        aria-label={t("Note")}
        placeholder={t("Note…")}
        maxLength={2000}
        value={note}
        onChange={(event) => setNote(event.target.value)}
      />
      {rate.error && (
        <p className="problem" role="alert">
          {messageOf(rate.error)}
        </p>
      )}
    </div>
  );
}

interface Props {
  readonly entry: Entry;
  readonly session: string;
  readonly user: string;
  readonly onChoose: (version: string) => void;
}

function Reviewed({ entry, session, user, onChoose }: Props): ReactNode {
  const { turn } = entry;
  const light = useLighting();
  const trace = useRef<TraceHandle>(null);
  const [stepLit, setStepLit] = useState<string | null>(null);
  return (
    <section className="reviewed" aria-label={t("Turn")}>
      <p className="asked">
        <b>{user}</b> · {turn.question}
      </p>
      <Versions entry={entry} onChoose={onChoose} />
      <RailPicture turn={turn} />
      <Trace
        turn={turn}
        events={entry.events}
        lit={light.lit}
        handle={trace}
        onStep={setStepLit}
        title={t("Steps")}
        more={(row) => <StepReview turn={turn.id} session={session} row={row} />}
      />
      {turn.answer && (
        <div className="answer">
          <AnswerText
            {...{ turn, stepLit, light }}
            text={turn.answer.text}
            onOpen={(call) => trace.current?.show(callRow(turn, call)?.key ?? "")}
          />
        </div>
      )}
      {turn.totals?.error && <p className="problem">{turn.totals.error}</p>}
      {turn.totals && !turn.command && <MakeCase turn={turn.id} />}
    </section>
  );
}

// A suite in the home folder goes by its name.
const suiteOf = (path: string): string => path.replace(/^.*[\\/]/, "").replace(/\.toml$/, "");

function MakeCase({ turn }: { turn: string }): ReactNode {
  const [rating, setRating] = useState("");
  const make = useMutation({
    mutationFn: () => call<AddedCase>(`admin/turns/${id(turn)}/case`, rating ? { rating } : {}),
  });
  return (
    <div className="make-case">
      <label className="filter">
        <span className="unseen">{t("Expect")}</span>
        <select value={rating} onChange={(event) => setRating(event.target.value)}>
          <option value="">{t("same as the session")}</option>
          <option value="good">{t("this again (good)")}</option>
          <option value="bad">{t("anything but this (bad)")}</option>
        </select>
      </label>
      <button type="button" className="plain small" disabled={make.isPending} onClick={() => make.mutate()}>
        {t("Make eval case")}
      </button>
      <p role="status" className="hint">
        {make.data ? t("Saved as {0}. Run it: glassloop eval {1}", make.data.case, suiteOf(make.data.suite)) : ""}
      </p>
      {make.error && (
        <p className="problem" role="alert">
          {messageOf(make.error)}
        </p>
      )}
    </div>
  );
}
