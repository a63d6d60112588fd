// A turn again: a slider through its events, forks from any step, and two turns side by side.

import { useEffect, useMemo, useState, type ReactNode } from "react";
import { sessionLink } from "../route";
import { foldAll, newTurn, type Turn } from "../turn/fold";
import { shorten } from "../turn/words";
import { Brand } from "../ui/icons";
import { Fork } from "./Fork";
import { Column } from "./Column";
import { Check } from "./Check";
import { Differences } from "./Differences";
import { Player } from "./Player";
import { stopsOf } from "./stops";
import { useTurn } from "./useTurn";
import { t } from "../language/t";

export default function Replay({ turn, other }: { turn: string; other: string | null }): ReactNode {
  const first = useTurn(turn);
  const second = useTurn(other);
  const events = first.entry?.events ?? [];
  const whole = first.entry?.turn ?? null;
  const stops = useMemo(() => (whole ? stopsOf(events, whole) : []), [events, whole]);
  const [at, setAt] = useState<number | null>(null);
  const place = Math.min(at ?? stops.length, stops.length);
  const last = stops[place - 1];
  // At the end it is all of them: also those that cannot be seen.
  const until = place === stops.length ? events.length : (last?.until ?? 0);
  const then = useMemo(
    () => stilled(foldAll(newTurn(turn, first.entry?.turn.question), events.slice(0, until))),
    [events, until, turn, first.entry?.turn.question],
  );
  const question = first.entry?.turn.question ?? "";
  useEffect(() => {
    document.title = question ? t("Replay: {0} · Glassloop", shorten(question, 50)) : t("Replay · Glassloop");
  }, [question]);
  return (
    <div className="settings replay">
      <header className="admin-bar">
        <Brand>
          <span className="where">{other ? t("Side by side") : t("Replay")}</span>
        </Brand>
        <span className="grow" />
        <a className="quiet" href={first.session ? sessionLink(first.session) : "#/"}>
          {t("Back to the conversation")}
        </a>
      </header>
      <main className={`replay-main${other ? " two" : ""}`}>
        <h1 className="unseen">{t("Replay of a turn")}</h1>
        {first.problem && (
          <p className="problem" role="alert">
            {first.problem}
          </p>
        )}
        {first.entry && second.entry && <Differences was={first.entry.turn} now={second.entry.turn} />}
        {first.entry && (
          <Column
            turn={other ? first.entry.turn : then}
            events={events.slice(0, other ? undefined : until)}
            title={other ? t("Original") : t("Steps")}
            heading={other ? t("Original") : null}
            live={first.entry.live}
            whole={other ? undefined : first.entry.turn}
          >
            {!other && (
              <Player stops={stops.length} place={place} label={last?.label ?? t("before it began")} onPlace={setAt} />
            )}
          </Column>
        )}
        {other && second.entry && (
          <Column
            turn={second.entry.turn}
            events={second.entry.events}
            title={t("The fork")}
            heading={t("The fork")}
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
          <aside className="replay-side" aria-label={t("Available actions")}>
            <Fork turn={first.entry.turn} now={then} />
            <Check turn={turn} />
          </aside>
        )}
      </main>
    </div>
  );
}

// A call that had not come back by then is not running now.
const stilled = (turn: Turn): Turn => ({
  ...turn,
  rows: turn.rows.map((row) =>
    row.kind === "act" && row.state === "running" ? { ...row, progress: t("called; the result comes next") } : row,
  ),
});
