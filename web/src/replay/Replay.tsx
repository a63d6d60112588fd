// A turn again: a slider through its events, branches from any step, and two turns side by side.

import { useEffect, useMemo, useState, type ReactNode } from "react";
import type { AnyEvent } from "../api/events";
import { sessionLink } from "../route";
import { foldAll, newTurn } from "../turn/fold";
import { shorten } from "../turn/words";
import { Brand } from "../ui/icons";
import { Branch } from "./Branch";
import { Column } from "./Column";
import { Check } from "./Check";
import { Player } from "./Player";
import { useTurn } from "./useTurn";

// What changes something one can see; the rest would be stops at which nothing happens.
const SILENT = new Set(["turn_claimed", "history_loaded", "turn_resumed"]);

export default function Replay({ turn, other }: { turn: string; other: string | null }): ReactNode {
  const first = useTurn(turn);
  const second = useTurn(other);
  const events = first.entry?.events ?? [];
  const stops = useMemo(() => stopsOf(events), [events]);
  const [at, setAt] = useState<number | null>(null);
  const place = Math.min(at ?? stops.length, stops.length);
  const last = stops[place - 1];
  const until = last === undefined ? 0 : last + 1;
  const then = useMemo(
    () => foldAll(newTurn(turn, first.entry?.turn.question), events.slice(0, until)),
    [events, until, turn, first.entry?.turn.question],
  );
  const question = first.entry?.turn.question ?? "";
  useEffect(() => {
    document.title = question ? `Replay: ${shorten(question, 50)} · Glassloop` : "Replay · Glassloop";
  }, [question]);
  return (
    <div className="settings replay">
      <header className="admin-bar">
        <Brand>
          <span className="where">{other ? "Side by side" : "Replay"}</span>
        </Brand>
        <span className="grow" />
        <a className="quiet" href={first.session ? sessionLink(first.session) : "#/"}>
          Back to the conversation
        </a>
      </header>
      <main className={`replay-main${other ? " two" : ""}`}>
        <h1 className="unseen">Replay of a turn</h1>
        {first.problem && (
          <p className="problem" role="alert">
            {first.problem}
          </p>
        )}
        {first.entry && (
          <Column
            turn={other ? first.entry.turn : then}
            events={events.slice(0, other ? undefined : until)}
            title={other ? "As it was" : "Steps"}
            live={first.entry.live}
          >
            {!other && (
              <Player stops={stops.length} place={place} label={labelOf(events[last ?? -1])} onPlace={setAt} />
            )}
          </Column>
        )}
        {other && second.entry && (
          <Column
            turn={second.entry.turn}
            events={second.entry.events}
            title="The branch"
            live={second.entry.live}
            session={second.session}
            decide={second.entry}
          />
        )}
        {other && second.problem && (
          <p className="problem" role="alert">
            {second.problem}
          </p>
        )}
        {!other && first.entry && !first.entry.live && (
          <aside className="replay-side" aria-label="What can be done with it">
            <Branch turn={first.entry.turn} now={then} />
            <Check turn={turn} />
          </aside>
        )}
      </main>
    </div>
  );
}

const stopsOf = (events: readonly AnyEvent[]): readonly number[] =>
  events
    .map((event, place) => ({ event, place }))
    .filter(({ event }) => !SILENT.has(event.type))
    .map(({ place }) => place);

const labelOf = (event: AnyEvent | undefined): string => (event ? event.type.replaceAll("_", " ") : "before it began");
