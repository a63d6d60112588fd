// The side of the page: assistants to choose from, conversations to go back to, and who is here.

import { useQueries, useQuery } from "@tanstack/react-query";
import { memo, type ReactNode } from "react";
import { ROOT } from "../api/client";
import { isDownloading, modelsQuery, toolsQuery } from "../api/queries";
import type { AssistantView, Me, ToolView } from "../api/types";
import { featurePages } from "../features/features";
import { Download } from "../models/Download";
import { count, nameOf } from "../turn/words";
import { TEMPORARY } from "../route";
import { inboxQuery } from "../schedules/queries";
import { Brand } from "../ui/icons";
import { SessionLists } from "./SessionLists";
import { t } from "../language/t";

interface Props {
  readonly me: Me;
  readonly assistants: readonly AssistantView[];
  readonly assistant: string;
  readonly session: string | null;
  readonly onChoose: (name: string) => void;
  readonly onNew: () => void;
  readonly onLeave: () => void;
  readonly onClose: () => void;
}

// While an answer streams nothing here changes: what the functions do depends on these alone.
const isSame = (was: Props, now: Props): boolean =>
  was.me === now.me &&
  was.assistants === now.assistants &&
  was.assistant === now.assistant &&
  was.session === now.session &&
  was.onLeave === now.onLeave;

export const Sidebar = memo(function Sidebar(props: Props): ReactNode {
  const { me, assistants, assistant, onChoose, onNew } = props;
  const counts = useQueries({
    queries: assistants.map((one) => ({
      ...toolsQuery(one.name),
      enabled: one.installed || one.name === assistant,
      select: (tools: readonly ToolView[]) => tools.length,
    })),
  });
  return (
    <>
      <Brand />
      <button className="primary new-chat-button" id="new-chat" type="button" onClick={onNew}>
        {t("New chat")}
      </button>
      <div>
        <a
          className="row"
          id="temporary-link"
          href={TEMPORARY}
          title={t("Not listed, not remembered, deleted when you leave")}
        >
          <span>{t("Temporary chat")}</span>
        </a>
        <InboxLink />
        <a className="row" id="knowledge-link" href="#/knowledge">
          <span>{t("Knowledge")}</span>
        </a>
        {featurePages(me).map(([name, title]) => (
          <a key={name} className="row" id={`${name}-link`} href={`#/${name}`}>
            <span>{title}</span>
          </a>
        ))}
      </div>
      <fieldset className="group" id="assistants">
        <legend>{t("Assistants")}</legend>
        {assistants.map((one, place) => (
          <label key={one.name} className="row" title={one.description}>
            <input
              type="radio"
              name="assistant"
              value={one.name}
              checked={one.name === assistant}
              onChange={() => onChoose(one.name)}
            />
            <span>{nameOf(one.name)}</span>
            <span className="count">{toolsOf(counts[place]?.data, one.name === assistant)}</span>
          </label>
        ))}
      </fieldset>
      <SessionLists session={props.session} onOpen={props.onClose} />
      <About {...props} />
    </>
  );
}, isSame);

function InboxLink(): ReactNode {
  const { data } = useQuery(inboxQuery);
  const waiting = data?.count ?? 0;
  return (
    <a className="row inbox-link" id="inbox-link" href="#/inbox">
      <span>{t("Inbox and schedules")}</span>
      {waiting > 0 && (
        <span className="inbox-count">
          {waiting > 99 ? "99+" : waiting}
          <span className="unseen">{t(" waiting")}</span>
        </span>
      )}
    </a>
  );
}

// As in a list: the one that is chosen says what is counted.
const toolsOf = (tools: number | undefined, chosen: boolean): ReactNode =>
  tools !== undefined &&
  (chosen ? (
    count(tools, "tool")
  ) : (
    <>
      {tools}
      <span className="unseen">{tools === 1 ? t(" tool") : t(" tools")}</span>
    </>
  ));

function Downloading(): ReactNode {
  const { data: models } = useQuery(modelsQuery);
  const weights = models?.weights.find(isDownloading);
  return weights ? <Download weights={weights} small /> : null;
}

function About({ me, onLeave }: Props): ReactNode {
  const { data: models } = useQuery(modelsQuery);
  return (
    <footer className="about" id="about">
      <div>
        <p>
          <a className="quiet" href="#/settings" title={t("The model that answers; change it in Settings")}>
            {models?.default}
          </a>
        </p>
        <Downloading />
        <p
          title={me.auth === "local" ? t("Only programs on this machine can connect; no sign-in is needed") : undefined}
        >
          {me.auth === "local" ? t("this machine only") : me.user}
        </p>
        {me.csrf_token && (
          <button type="button" className="more" onClick={onLeave}>
            {t("Sign out")}
          </button>
        )}
      </div>
      <nav aria-label={t("Other pages")}>
        {(me.admin || me.auth === "local") && (
          <a className="quiet" href={`${ROOT}admin`}>
            {t("Admin")}
          </a>
        )}
        <a className="quiet" href="#/settings">
          {t("Settings")}
        </a>
      </nav>
    </footer>
  );
}
