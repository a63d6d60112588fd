// Sharing a conversation by a link: made, copied and withdrawn here. A link is shown once, as only its digest is kept.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type ReactNode } from "react";
import { call, id, messageOf, ROOT } from "../api/client";
import type { ActionResult, NewShare, Session, ShareState } from "../api/types";
import { when } from "../turn/words";
import { CopyButton } from "../ui/CopyButton";
import { Dialog } from "../ui/Dialog";
import "./sharing.css";

const linkOf = (token: string): string => `${window.location.origin}${ROOT}#/shared/${id(token)}`;

export default function ShareDialog({ session, onClose }: { session: Session; onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const path = `api/sessions/${id(session.id)}/share`;
  const key = ["share", session.id];
  const field = useRef<HTMLInputElement>(null);
  const [link, setLink] = useState("");
  const { data, error } = useQuery({ queryKey: key, queryFn: () => call<ShareState>(path) });
  const told = () => client.invalidateQueries({ queryKey: key });
  const make = useMutation({
    mutationFn: () => call<NewShare>(path, {}),
    onSuccess: async ({ token }) => {
      setLink(linkOf(token));
      await told();
    },
  });
  const end = useMutation({
    mutationFn: () => call<ActionResult>(path, undefined, "DELETE"),
    onSuccess: async () => {
      setLink("");
      await told();
    },
  });
  const shared = data?.shared_at ?? null;
  const busy = make.isPending || end.isPending;
  const problem = error ?? make.error ?? end.error;
  return (
    <Dialog label="Share conversation" onClose={onClose}>
      <h2>Share “{session.title || "Untitled"}”</h2>
      <p>
        Anybody who has the link can read the questions and answers so far. Steps, files and what you say later are not
        shown.
      </p>
      {link ? (
        <div className="share-link">
          <label htmlFor="share-link">Link</label>
          <div>
            <input id="share-link" ref={field} readOnly value={link} onFocus={() => field.current?.select()} />
            <CopyButton text={() => link} label="Copy link" />
          </div>
          <p className="hint">Copy it now: it can't be shown again.</p>
        </div>
      ) : (
        shared !== null && (
          <p className="share-state">
            Shared since {when(shared)}. A new link replaces the one you made then, and shows what was said since.
          </p>
        )
      )}
      {problem && (
        <p className="problem" role="alert">
          {messageOf(problem)}
        </p>
      )}
      <div className="choices">
        {!link && (
          <button type="button" className="primary" data-first disabled={busy || !data} onClick={() => make.mutate()}>
            {shared === null ? "Create link" : "Create new link"}
          </button>
        )}
        {shared !== null && (
          <button type="button" className="plain danger" disabled={busy} onClick={() => end.mutate()}>
            Stop sharing
          </button>
        )}
        <button type="button" className="plain" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}
