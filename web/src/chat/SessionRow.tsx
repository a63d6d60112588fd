// One conversation in the list: a link, a dot when it waits, and what can be done with it.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { DropdownMenu } from "radix-ui";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { call, id, messageOf, ROOT } from "../api/client";
import type { ActionResult, Session } from "../api/types";
import { go, sessionLink } from "../route";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/icons";
import { RunningMark } from "./RunningMark";

interface Props {
  readonly session: Session;
  readonly current: boolean;
  readonly onOpen: () => void;
}

export function SessionRow({ session, current, onOpen }: Props): ReactNode {
  const [mode, setMode] = useState<"show" | "rename" | "delete">("show");
  const title = session.title || "Untitled";
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
          <span className="waits">waits</span>
        ) : (
          session.rating && <span className={`rated ${session.rating}`}>{session.rating}</span>
        )}
      </a>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger className="row-menu" aria-label={`More about ${title}`}>
          <Icon name="more" />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content className="menu" align="end" sideOffset={4}>
            <DropdownMenu.Item onSelect={() => setMode("rename")}>Rename</DropdownMenu.Item>
            <DropdownMenu.Item asChild>
              <a href={`${ROOT}api/sessions/${id(session.id)}/export`} download>
                Export
              </a>
            </DropdownMenu.Item>
            <DropdownMenu.Item className="danger" onSelect={() => setMode("delete")}>
              Delete…
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {mode === "delete" && <Delete session={session} current={current} onDone={() => setMode("show")} />}
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
        New title
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
    <Dialog label="Delete conversation" onClose={onDone}>
      <h2>Delete this conversation?</h2>
      <p>“{session.title || "Untitled"}” goes with everything in it, and cannot be had back.</p>
      {remove.error && (
        <p className="problem" role="alert">
          {messageOf(remove.error)}
        </p>
      )}
      <div className="choices">
        <button type="button" className="primary danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
          Delete
        </button>
        <button type="button" className="plain" data-first onClick={onDone}>
          Keep
        </button>
      </div>
    </Dialog>
  );
}
