// Between the conversation and its trace: dragged, moved with the arrows, or put back with Home or a double click.

import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";
import { prefer, usePreferences } from "../preferences";
import { t } from "../language/t";

const LEAST = 300;
// What the side and the conversation need beside it.
const OTHERS = 700;
const STEP = 32;

const most = (): number => Math.max(LEAST, window.innerWidth - OTHERS);
const fitting = (width: number): number => Math.round(Math.min(most(), Math.max(LEAST, width)));

export function Divider({ panel }: { panel: () => HTMLElement | null }): ReactNode {
  const { trace } = usePreferences();
  const [dragged, setDragged] = useState(false);
  const now = () => panel()?.offsetWidth ?? LEAST;
  const down = (event: PointerEvent<HTMLDivElement>) => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    setDragged(true);
  };
  const move = (event: PointerEvent<HTMLDivElement>) => {
    if (dragged) prefer({ trace: fitting(window.innerWidth - event.clientX) });
  };
  const key = (event: KeyboardEvent<HTMLDivElement>) => {
    const by = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    if (by === undefined && event.key !== "Home") return;
    event.preventDefault();
    prefer({ trace: by === undefined ? null : fitting(now() + by) });
  };
  return (
    <div
      className={`divider${dragged ? " dragged" : ""}`}
      role="separator"
      aria-orientation="vertical"
      aria-label={t("Width of the trace")}
      aria-valuenow={trace ?? LEAST}
      aria-valuemin={LEAST}
      aria-valuemax={most()}
      aria-valuetext={trace === null ? t("automatic") : t("{0} pixels", trace)}
      tabIndex={0}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={() => setDragged(false)}
      onPointerCancel={() => setDragged(false)}
      onDoubleClick={() => prefer({ trace: null })}
      onKeyDown={key}
    />
  );
}
