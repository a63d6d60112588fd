// Moving a map: by dragging, by two fingers, by the wheel with a modifier, and by keys.

import { useEffect, useRef, type KeyboardEvent, type PointerEvent, type RefObject } from "react";
import { panned, zoomed, type Pixel, type Size, type View } from "./view";

export const STEP = 1.6;
const PAN = 48;
// Less is a press.
const MOVED = 4;
const WHEEL = 0.002;

type Change = (change: (view: View) => View) => void;

interface Gestures {
  readonly onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerMove: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerUp: (event: PointerEvent<HTMLElement>) => void;
  readonly onPointerCancel: (event: PointerEvent<HTMLElement>) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
  // Whether what has just ended was a drag, and so no press.
  readonly wasDrag: () => boolean;
}

export function useGestures(
  box: RefObject<HTMLElement | null>,
  size: Size,
  change: Change,
  reset: () => void,
): Gestures {
  const fingers = useRef(new Map<number, Pixel>());
  const way = useRef(0);
  const place = (event: { clientX: number; clientY: number }): Pixel => {
    const { left = 0, top = 0 } = box.current?.getBoundingClientRect() ?? {};
    return [event.clientX - left, event.clientY - top];
  };
  useEffect(() => {
    const node = box.current;
    const turn = (event: WheelEvent) => {
      // Without a modifier the wheel scrolls the page.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const pixels = event.deltaY * (event.deltaMode ? 30 : 1);
      const at = place(event);
      change((view) => zoomed(view, size, Math.exp(-pixels * WHEEL), at));
    };
    node?.addEventListener("wheel", turn, { passive: false });
    return () => node?.removeEventListener("wheel", turn);
  }, [size, change]);
  const release = (event: PointerEvent<HTMLElement>) => {
    fingers.current.delete(event.pointerId);
  };
  return {
    wasDrag: () => way.current > MOVED,
    onPointerDown: (event) => {
      if (event.button !== 0 || (event.target as Element).closest("button")) return;
      if (!fingers.current.size) way.current = 0;
      fingers.current.set(event.pointerId, place(event));
    },
    onPointerMove: (event) => {
      const was = fingers.current.get(event.pointerId);
      if (!was) return;
      const now = place(event);
      const other = [...fingers.current].find(([id]) => id !== event.pointerId)?.[1];
      fingers.current.set(event.pointerId, now);
      way.current += distance(was, now);
      // Only what is dragged is captured: a press goes to what was pressed.
      if (way.current > MOVED) event.currentTarget.setPointerCapture(event.pointerId);
      change((view) => {
        const moved = panned(view, size, other ? half(was, now) : [now[0] - was[0], now[1] - was[1]]);
        return other
          ? zoomed(moved, size, distance(other, now) / Math.max(1, distance(other, was)), middle(other, now))
          : moved;
      });
    },
    onPointerUp: release,
    onPointerCancel: release,
    onKeyDown: (event) => {
      if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
      const made = KEYS[event.key];
      if (!made && event.key !== "0") return;
      event.preventDefault();
      if (made) change((view) => made(view, size));
      else reset();
    },
  };
}

const distance = (one: Pixel, other: Pixel): number => Math.hypot(one[0] - other[0], one[1] - other[1]);
const middle = (one: Pixel, other: Pixel): Pixel => [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2];
// Of two fingers each moves the middle by half its way.
const half = (was: Pixel, now: Pixel): Pixel => [(now[0] - was[0]) / 2, (now[1] - was[1]) / 2];

const KEYS: Readonly<Record<string, (view: View, size: Size) => View>> = {
  ArrowLeft: (view, size) => panned(view, size, [PAN, 0]),
  ArrowRight: (view, size) => panned(view, size, [-PAN, 0]),
  ArrowUp: (view, size) => panned(view, size, [0, PAN]),
  ArrowDown: (view, size) => panned(view, size, [0, -PAN]),
  "+": (view, size) => zoomed(view, size, STEP),
  "=": (view, size) => zoomed(view, size, STEP),
  "-": (view, size) => zoomed(view, size, 1 / STEP),
};
