// A conversation to print or to save as PDF: answers with what they rest on, nothing to press on the paper.

import { useQuery } from "@tanstack/react-query";
import { useEffect, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import type { AnyEvent } from "../api/events";
import { sessionOf } from "../api/queries";
import type { TurnLine } from "../api/types";
import { sessionLink } from "../route";
import { foldAll, newTurn } from "../turn/fold";
import { shortDay } from "../turn/words";
import { Brand } from "../ui/icons";
import { sourcesOf, type Source } from "./sources";
import { Transcript } from "./Transcript";
import "./sharing.css";
import { t } from "../language/t";

interface Printed extends TurnLine {
  readonly sources: readonly Source[];
}

async function load(session: string) {
  const found = await sessionOf(session);
  const turns: Printed[] = [];
  for (const line of found.turns.filter((one) => one.on_path && one.finished_at !== null)) {
    const events = await call<AnyEvent[]>(`api/turns/${id(line.id)}/events?format=json`);
    turns.push({ ...line, sources: sourcesOf(foldAll(newTurn(line.id, line.question), events)) });
  }
  return { session: found.session, turns };
}

export default function PrintPage({ session }: { session: string }): ReactNode {
  const { data, error } = useQuery({ queryKey: ["print", session], queryFn: () => load(session), retry: false });
  const title = data?.session.title || t("Untitled");
  useEffect(() => {
    if (!data) return;
    // What browsers offer as the name of the file.
    document.title = title;
    // After formulas and fonts have been drawn.
    const timer = window.setTimeout(() => void document.fonts.ready.then(() => window.print()), 300);
    return () => window.clearTimeout(timer);
  }, [data, title]);
  return (
    <div className="reading">
      <header className="reading-bar">
        <Brand />
        <span className="grow" />
        <button type="button" className="primary" disabled={!data} onClick={() => window.print()}>
          {t("Print or save as PDF")}
        </button>
        <a className="quiet" href={sessionLink(session)}>
          {t("Back to chat")}
        </a>
      </header>
      <main className="reading-main">
        {error && (
          <p className="problem" role="alert">
            {messageOf(error)}
          </p>
        )}
        {!data && !error && <p className="hint">{t("Loading…")}</p>}
        {data && (
          <>
            <h1>{title}</h1>
            <p className="hint printed-when">{shortDay(data.session.started_at)}</p>
            <Transcript turns={data.turns} more={(turn) => <Sources sources={turn.sources} />} />
          </>
        )}
      </main>
    </div>
  );
}

function Sources({ sources }: { sources: readonly Source[] }): ReactNode {
  if (!sources.length) return null;
  return (
    <section className="sources">
      <h2>{t("Sources")}</h2>
      <ul>
        {sources.map((one) => (
          <li key={one.key}>
            {one.number && <span className="source-number">{one.number}</span>} <code>{one.call}</code>
            {one.figures.length > 0 && <>: {one.figures.join(", ")}</>}
          </li>
        ))}
      </ul>
    </section>
  );
}
