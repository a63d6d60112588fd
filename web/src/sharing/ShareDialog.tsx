// Sharing a conversation by a link: made, copied and withdrawn here. A link is shown once, as only its digest is kept.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState, type ReactNode } from "react";
import { call, id, messageOf, ROOT } from "../api/client";
import type { ActionResult, NewShare, Session, ShareState } from "../api/types";
import { when } from "../turn/words";
import { CopyButton } from "../ui/CopyButton";
import { Dialog } from "../ui/Dialog";
import "./sharing.css";
import { t } from "../language/t";

const LASTS = [
  [0, t("Never")],
  [1, t("After 1 day")],
  [7, t("After 7 days")],
  [30, t("After 30 days")],
] as const;

const linkOf = (token: string): string => `${window.location.origin}${ROOT}#/shared/${id(token)}`;

export default function ShareDialog({ session, onClose }: { session: Session; onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const path = `api/sessions/${id(session.id)}/share`;
  const key = ["share", session.id];
  const field = useRef<HTMLInputElement>(null);
  const [link, setLink] = useState("");
  const [days, setDays] = useState(0);
  const { data, error } = useQuery({ queryKey: key, queryFn: () => call<ShareState>(path) });
  const told = () => client.invalidateQueries({ queryKey: key });
  const make = useMutation({
    mutationFn: () => call<NewShare>(path, days ? { days } : {}),
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
  const until = data?.expires_at ? t("Expires {0}.", when(data.expires_at)) : "";
  const busy = make.isPending || end.isPending;
  const problem = error ?? make.error ?? end.error;
  return (
    <Dialog label={t("Share conversation")} onClose={onClose}>
      <h2>
        {t("Share “")}
        {session.title || t("Untitled")}”
      </h2>
      <p>
        {t(
          "Anyone with the link can read the questions and answers so far. Steps, files and later messages are not shown.",
        )}
      </p>
      {link ? (
        <div className="share-link">
          <label htmlFor="share-link">{t("Link")}</label>
          <div>
            <input id="share-link" ref={field} readOnly value={link} onFocus={() => field.current?.select()} />
            <CopyButton text={() => link} label={t("Copy link")} />
          </div>
          <p className="hint">{[t("Copy it now; it won't be shown again."), until].filter(Boolean).join(" ")}</p>
        </div>
      ) : (
        shared !== null && (
          <p className="share-state">
            {t("Shared since ")}
            {when(shared)}
            {t(". A new link replaces the old one and includes what was said since.")} {until}
          </p>
        )
      )}
      {!link && (
        <label className="share-lasts">
          <span>{t("Link expires")}</span>
          <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {LASTS.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {problem && (
        <p className="problem" role="alert">
          {messageOf(problem)}
        </p>
      )}
      <div className="choices">
        {!link && (
          <button type="button" className="primary" data-first disabled={busy || !data} onClick={() => make.mutate()}>
            {shared === null ? t("Create link") : t("Create new link")}
          </button>
        )}
        {shared !== null && (
          <button type="button" className="plain danger" disabled={busy} onClick={() => end.mutate()}>
            {t("Stop sharing")}
          </button>
        )}
        <button type="button" className="plain" onClick={onClose}>
          {t("Close")}
        </button>
      </div>
    </Dialog>
  );
}
