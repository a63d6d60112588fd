// One conversation in the list: a link, a dot when it waits, and what can be done with it.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import type { ActionResult, Session } from "../api/types";
import { go, sessionLink } from "../route";
import { Dialog } from "../ui/Dialog";
import { RunningMark } from "./RunningMark";
import { SessionMenu, type RowMode, type SessionChange } from "./SessionMenu";
import { t } from "../language/t";

const FolderDialog = lazy(() => import("./FolderDialog"));
const ShareDialog = lazy(() => import("../sharing/ShareDialog"));

interface Props {
  readonly session: Session;
  readonly current: boolean;
  readonly onOpen: () => void;
}

export function SessionRow({ session, current, onOpen }: Props): ReactNode {
  const [mode, setMode] = useState<RowMode>("show");
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (to: SessionChange) => call<Session>(`api/sessions/${id(session.id)}`, to, "PATCH"),
    onSuccess: () => client.invalidateQueries({ queryKey: ["sessions"] }),
  });
  const title = session.title || t("Untitled");
  if (mode === "rename") {
    return (
      <li>
        <Rename session={session} onDone={() => setMode("show")} />
      </li>
    );
  }
  return (
    <li className="session-row">
      <a
        className="row"
        href={sessionLink(session.id)}
        aria-current={current ? "page" : undefined}
        title={title}
        onClick={onOpen}
      >
        <span className="name">{title}</span>
        {session.status !== "awaiting_approval" && <RunningMark session={session.id} />}
        {session.status === "awaiting_approval" ? (
          <span className="waits">{t("waiting")}</span>
        ) : session.archived ? (
          <span className="rated">{t("archived")}</span>
        ) : (
          session.rating && <span className={`rated ${session.rating}`}>{session.rating}</span>
        )}
      </a>
      <SessionMenu session={session} onChoose={setMode} onChange={change.mutate} />
      {change.error && (
        <p className="problem" role="alert">
          {messageOf(change.error)}
        </p>
      )}
      {mode === "delete" && <Delete session={session} current={current} onDone={() => setMode("show")} />}
      {mode === "folder" && (
        <Suspense>
          <FolderDialog
            session={session}
            onChoose={(folder) => {
              change.mutate({ folder });
              setMode("show");
            }}
            onClose={() => setMode("show")}
          />
        </Suspense>
      )}
      {mode === "share" && (
        <Suspense>
          <ShareDialog session={session} onClose={() => setMode("show")} />
        </Suspense>
      )}
    </li>
  );
}

function Rename({ session, onDone }: { session: Session; onDone: () => void }): ReactNode {
  const client = useQueryClient();
  const field = useRef<HTMLInputElement>(null);
  const [title, setTitle] = useState(session.title);
  const rename = useMutation({
    mutationFn: () => call<Session>(`api/sessions/${id(session.id)}`, { title: title.trim() }, "PATCH"),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["sessions"] });
      onDone();
    },
  });
  useEffect(() => field.current?.select(), []);
  const submit = () => (title.trim() && title.trim() !== session.title ? rename.mutate() : onDone());
  return (
    <form className="rename" action={submit}>
      <label className="unseen" htmlFor={`rename-${session.id}`}>
        {t("New title")}
      </label>
      <input
        id={`rename-${session.id}`}
        ref={field}
        value={title}
        maxLength={200}
        onChange={(event) => setTitle(event.target.value)}
        onBlur={submit}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onDone();
        }}
      />
      {rename.error && (
        <p className="problem" role="alert">
          {messageOf(rename.error)}
        </p>
      )}
    </form>
  );
}

function Delete({ session, current, onDone }: { session: Session; current: boolean; onDone: () => void }): ReactNode {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call<ActionResult>(`api/sessions/${id(session.id)}`, undefined, "DELETE"),
    onSuccess: async () => {
      if (current) go("#/");
      await client.invalidateQueries({ queryKey: ["sessions"] });
      onDone();
    },
  });
  return (
    <Dialog label={t("Delete conversation")} onClose={onDone}>
      <h2>{t("Delete this conversation?")}</h2>
      <p>
        “{session.title || t("Untitled")}
        {t("” and everything in it will be deleted permanently. This can't be undone.")}
      </p>
      {remove.error && (
        <p className="problem" role="alert">
          {messageOf(remove.error)}
        </p>
      )}
      <div className="choices">
        <button type="button" className="primary danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          {t("Delete")}
        </button>
        <button type="button" className="plain" data-first onClick={onDone}>
          {t("Keep")}
        </button>
      </div>
    </Dialog>
  );
}
