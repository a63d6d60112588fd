// The rail: a turn as one thin bar, one segment a step, as long as it took; it grows while it runs.

import { useState, type KeyboardEvent, type ReactNode } from "react";
import { condense } from "./condense";
import { kindNow, type Kind, type Segment, type Turn } from "./fold";
import { useNow } from "./now";
import { duration } from "./words";
import { t } from "../language/t";

const NAMES: Record<Kind, string> = {
  think: t("Think"),
  act: t("Act"),
  observe: t("Check"),
  answer: t("Answer"),
  trouble: t("Problem"),
  wait: t("Wait"),
};
// Shares below one would leave a part of the bar empty.
const SHARE = 1000;
const MOST = 60;
const LEAST_S = 0.001;

const share = (seconds: number): number => SHARE * Math.max(LEAST_S, seconds);

interface Props {
  readonly turn: Turn;
  // In a replay, the turn as it became: what is still to come is there, in grey.
  readonly whole?: Turn;
  readonly live: boolean;
  readonly since: number;
  readonly onOpen: (row: string | null) => void;
}

export function Rail({ turn, whole, live, since, onOpen }: Props): ReactNode {
  const [at, setAt] = useState(0);
  const segments = condense(turn.segments, MOST);
  const toCome = whole && whole.segments.length <= MOST ? whole.segments.slice(segments.length) : [];
  // One step that went well tells no more than the line under it.
  const plain = segments.length === 1 && segments[0]?.kind !== "trouble";
  if (!live && !whole && (!segments.length || plain)) return null;
  if (!segments.length && !live && !toCome.length) return null;
  // One stop for the Tab key; arrows go along.
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const parts = [...event.currentTarget.querySelectorAll<HTMLButtonElement>("button.segment")];
    const next = step === undefined ? undefined : parts[parts.indexOf(event.target as HTMLButtonElement) + step];
    if (!next) return;
    event.preventDefault();
    setAt(parts.indexOf(next));
    next.focus();
  };
  return (
    <div className="rail" role="group" aria-label={t("Steps of this turn")} onKeyDown={move}>
      {segments.map((segment, place) => (
        <Part key={place} segment={segment} reachable={place === Math.min(at, segments.length - 1)} onOpen={onOpen} />
      ))}
      {toCome.map((segment, place) => (
        <span
          key={place}
          className={`segment to-come ${segment.kind}`}
          aria-hidden="true"
          style={segment.kind === "wait" ? undefined : { flexGrow: share(segment.seconds) }}
        />
      ))}
      {live && <Growing turn={turn} since={since} />}
    </div>
  );
}

function Part({
  segment,
  reachable,
  onOpen,
}: {
  segment: Segment;
  reachable: boolean;
  onOpen: (row: string | null) => void;
}): ReactNode {
  const took = segment.kind === "wait" ? "" : `, ${duration(segment.seconds)}`;
  const label = `${NAMES[segment.kind]}${took}`;
  return (
    <button
      type="button"
      className={`segment ${segment.kind}`}
      title={label}
      aria-label={label}
      tabIndex={reachable ? 0 : -1}
      style={segment.kind === "wait" ? undefined : { flexGrow: share(segment.seconds) }}
      onClick={() => onOpen(segment.row)}
    />
  );
}

function Growing({ turn, since }: { turn: Turn; since: number }): ReactNode {
  const now = useNow();
  const kind = kindNow(turn);
  const grown = kind === "wait" ? undefined : { flexGrow: share((now - since) / 1000) };
  return <span className={`segment live ${kind}`} aria-hidden="true" style={grown} />;
}

// The same bar for lists: nothing in it can be pressed.
export function RailPicture({ turn }: { turn: Turn }): ReactNode {
  return (
    <div className="rail picture" aria-hidden="true">
      {condense(turn.segments, MOST).map((segment, place) => (
        <span key={place} className={`segment ${segment.kind}`} style={{ flexGrow: share(segment.seconds) }} />
      ))}
    </div>
  );
}
