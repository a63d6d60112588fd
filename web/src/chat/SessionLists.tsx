// Conversations to go back to: pinned, in folders, by day, archived; or those that a search finds.

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { foldersQuery, sessionsQuery } from "../api/queries";
import type { Session, SessionFolder } from "../api/types";
import { dayOf } from "../turn/words";
import { Icon } from "../ui/icons";
import { FolderMenu } from "./FolderMenu";
import { SessionRow } from "./SessionRow";
import { t } from "../language/t";

const PAGE = 50;
const MOST = 1000;

interface Props {
  readonly session: string | null;
  readonly onOpen: () => void;
}

export function SessionLists(props: Props): ReactNode {
  const [words, setWords] = useState("");
  return (
    <div className="sessions-part">
      <label className="search">
        <Icon name="search" />
        <span className="unseen">{t("Search conversations")}</span>
        <input
          type="search"
          placeholder={t("Search")}
          value={words}
          maxLength={200}
          onChange={(event) => setWords(event.target.value)}
        />
      </label>
      <div id="sessions">{words.trim() ? <FoundSessions {...props} words={words.trim()} /> : <Kept {...props} />}</div>
    </div>
  );
}

function FoundSessions({ words, ...props }: Props & { words: string }): ReactNode {
  const { data } = useQuery(sessionsQuery(PAGE, words));
  if (data && !data.length) return <p className="hint">{t("No matches.")}</p>;
  return <Group name="Best first" sessions={data ?? []} {...props} />;
}

function Kept(props: Props): ReactNode {
  const [limit, setLimit] = useState(PAGE);
  const { data: pinned = [] } = useQuery(sessionsQuery(MOST, "", "pinned=true"));
  const { data: folders = [] } = useQuery(foldersQuery);
  const { data: sessions = [] } = useQuery(sessionsQuery(limit, "", "pinned=false&folder="));
  const days = new Map<string, Session[]>();
  for (const one of sessions) {
    const name = dayOf(one.last_active);
    days.set(name, [...(days.get(name) ?? []), one]);
  }
  return (
    <>
      <Group name="Pinned" sessions={pinned} {...props} />
      {folders.length > 0 && (
        <section className="group">
          <h2>{t("Folders")}</h2>
          {folders.map((one) => (
            <Folder key={one.name} folder={one} {...props} />
          ))}
        </section>
      )}
      {[...days].map(([name, found]) => (
        <Group key={name} name={name} sessions={found} {...props} />
      ))}
      {sessions.length === limit && limit < MOST && (
        <button type="button" className="more" onClick={() => setLimit(Math.min(MOST, limit + PAGE))}>
          {t("Show more")}
        </button>
      )}
      <Archived {...props} />
    </>
  );
}

function Group({ name, sessions, ...props }: Props & { name: string; sessions: readonly Session[] }): ReactNode {
  if (!sessions.length) return null;
  return (
    <section className="group">
      <h2>{name}</h2>
      <Rows sessions={sessions} {...props} />
    </section>
  );
}

function Rows({ sessions, session, onOpen }: Props & { sessions: readonly Session[] }): ReactNode {
  return (
    <ul>
      {sessions.map((one) => (
        <SessionRow key={one.id} session={one} current={one.id === session} onOpen={onOpen} />
      ))}
    </ul>
  );
}

function Folder({ folder, ...props }: Props & { folder: SessionFolder }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <div className="session-row">
      <details className="folder" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="row">
          <Icon name="folder" />
          <span className="name">{folder.name}</span>
          <span className="count">{folder.sessions}</span>
        </summary>
        {open && <Loaded where={`folder=${encodeURIComponent(folder.name)}`} {...props} />}
      </details>
      <FolderMenu folder={folder.name} />
    </div>
  );
}

function Archived(props: Props): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details className="folder archived" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="row">
        <span className="name">{t("Archived")}</span>
      </summary>
      {open && <Loaded where="archived=true" {...props} />}
    </details>
  );
}

function Loaded({ where, ...props }: Props & { where: string }): ReactNode {
  const { data } = useQuery(sessionsQuery(MOST, "", where));
  if (data && !data.length) return <p className="hint">{t("Nothing here.")}</p>;
  return <Rows sessions={data ?? []} {...props} />;
}
