// The trace of a turn: its steps in order, or the same events as text, or as they came.

import { useVirtualizer } from "@tanstack/react-virtual";
import { Tabs } from "radix-ui";
import {
  lazy,
  Suspense,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from "react";
import type { AnyEvent } from "../api/events";
import { useRules } from "../api/queries";
import { childOf } from "../turn/children";
import type { Row, Turn } from "../turn/fold";
import type { Lit } from "../turn/lit";
import { IconButton } from "../ui/IconButton";
import { rowsOf, withoutSteps } from "./attempts";
import { Step } from "./Step";
import { Streaming } from "./Streaming";
import { t } from "../language/t";

const Terminal = lazy(() => import("./Terminal"));
const Raw = lazy(() => import("./Raw"));
// Fewer are simply all there.
const VIRTUAL_FROM = 80;
const GUESSED_PX = 110;

export interface TraceHandle {
  show: (key: string) => void;
}

interface Props {
  readonly turn: Turn;
  readonly events: readonly AnyEvent[];
  readonly lit: Lit | null;
  readonly onStep?: (call: string | null) => void;
  readonly handle?: Ref<TraceHandle>;
  readonly more?: (row: Row) => ReactNode;
  readonly title?: string;
  // Closes the column that it stands in.
  readonly onHide?: () => void;
}

export function Trace({ turn, events, lit, onStep, handle, more, title = t("Trace"), onHide }: Props): ReactNode {
  const [view, setView] = useState("steps");
  const wanted = useRef<string | null>(null);
  const steps = useRef<TraceHandle>(null);
  useImperativeHandle(handle, () => ({
    show: (key) => {
      wanted.current = key;
      setView("steps");
      steps.current?.show(key);
    },
  }));
  return (
    <Tabs.Root value={view} onValueChange={setView} className="trace">
      <div className="trace-head">
        <h2>{title}</h2>
        <Tabs.List className="views" aria-label={t("Trace views")}>
          <Tabs.Trigger value="steps">{t("Steps")}</Tabs.Trigger>
          <Tabs.Trigger value="terminal">{t("Terminal")}</Tabs.Trigger>
          <Tabs.Trigger value="raw">{t("Raw")}</Tabs.Trigger>
        </Tabs.List>
        {onHide && <IconButton icon="close" label={t("Hide trace")} onClick={onHide} />}
      </div>
      <Tabs.Content value="steps" tabIndex={-1}>
        <Steps {...{ turn, lit, onStep, more }} handle={steps} wanted={wanted.current} />
      </Tabs.Content>
      <Tabs.Content value="terminal" tabIndex={-1}>
        <Suspense fallback={null}>
          <Terminal turn={turn} />
        </Suspense>
      </Tabs.Content>
      <Tabs.Content value="raw" tabIndex={-1}>
        <Suspense fallback={null}>
          <Raw events={events} />
        </Suspense>
      </Tabs.Content>
    </Tabs.Root>
  );
}

type StepsProps = Pick<Props, "turn" | "lit" | "onStep" | "more"> & {
  readonly handle: Ref<TraceHandle>;
  readonly wanted: string | null;
};

function Steps({ turn, lit, onStep, more, handle, wanted }: StepsProps): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(turn), [turn]);
  const rules = useRules();
  const many = rows.length > VIRTUAL_FROM;
  const virtual = useVirtualizer({
    count: many ? rows.length : 0,
    getScrollElement: () => list.current?.closest<HTMLElement>("[data-scrolls]") ?? null,
    estimateSize: () => GUESSED_PX,
    getItemKey: (place) => rows[place]?.key ?? place,
    overscan: 8,
    scrollMargin: list.current?.offsetTop ?? 0,
  });
  const focus = (key: string) => {
    const node = list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    (node?.querySelector(".found") ?? node)?.scrollIntoView({ block: "nearest", inline: "center" });
    node?.focus({ preventScroll: true });
    return Boolean(node);
  };
  const show = (key: string) => {
    if (focus(key) || !many) return;
    virtual.scrollToIndex(
      rows.findIndex((row) => row.key === key),
      { align: "center" },
    );
    window.setTimeout(() => focus(key), 60);
  };
  useImperativeHandle(handle, () => ({ show }));
  useEffect(() => {
    if (wanted) show(wanted);
  }, []);
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const step = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    const held = (event.target as HTMLElement).dataset["key"];
    const next = step && held ? rows[rows.findIndex((row) => row.key === held) + step] : undefined;
    if (!next) return;
    event.preventDefault();
    show(next.key);
  };
  const over = (target: EventTarget) =>
    onStep?.((target as HTMLElement).closest<HTMLElement>(".step")?.dataset["call"] ?? null);
  const step = (row: Row) => {
    const pointed = row.kind === "act" && lit?.turn === turn.id && (lit.call === row.call.id || childOf(row, lit.call));
    return (
      <Step
        row={row}
        turn={row.kind === "plan" || row.kind === "answer" ? turn : null}
        lit={pointed ? lit : null}
        counts={turn.model !== rules}
      >
        {more?.(row)}
      </Step>
    );
  };
  const idle = withoutSteps(turn);
  const size = many ? { height: virtual.getTotalSize() } : undefined;
  return (
    <div
      ref={list}
      className="steps chat__tool-interactions"
      role="list"
      aria-label={t("Steps")}
      style={size}
      onKeyDown={move}
      onMouseOver={(event) => over(event.target)}
      onMouseLeave={() => onStep?.(null)}
    >
      {many
        ? virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            const place = { transform: `translateY(${item.start - virtual.options.scrollMargin}px)` };
            return (
              row && (
                <div
                  key={item.key}
                  role="listitem"
                  aria-setsize={rows.length}
                  aria-posinset={item.index + 1}
                  data-index={item.index}
                  ref={virtual.measureElement}
                  className="placed"
                  style={place}
                >
                  {step(row)}
                </div>
              )
            );
          })
        : rows.map((row) => (
            <div key={row.key} role="listitem" className="arrives">
              {step(row)}
            </div>
          ))}
      <Streaming turn={turn} />
      {idle && (
        <p className="hint" role="listitem">
          {idle}
        </p>
      )}
    </div>
  );
}
