// Keeps a conversation where it is read while it grows, and tells whether there is more below.

import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { afterScroll, hasMore, target, type Mode, type View } from "./following";

// What somebody pressed may open or close something: that is not followed.
const PRESSED_MS = 1_000;

export interface End {
  readonly place: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  // To where the newest turn begins, as after a question.
  readonly toEnd: () => void;
  // To the very end, and along with it.
  readonly toLatest: () => void;
  // Nothing moves until one scrolls to the end: one reads elsewhere.
  readonly leave: () => void;
  readonly more: boolean;
}

export function useEnd(of: string | null): End {
  const place = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const state = useRef({ mode: "start" as Mode, was: 0, newest: null as Element | null, pressed: -Infinity });
  const [more, setMore] = useState(false);
  const settle = useCallback((mode: Mode) => {
    const node = place.current;
    if (!node) return;
    const view = viewOf(node);
    const wanted = target(mode, view);
    state.current.mode = mode;
    if (wanted !== null && Math.abs(wanted - node.scrollTop) >= 1) node.scrollTop = wanted;
    state.current.was = node.scrollTop;
    setMore(hasMore({ ...view, top: node.scrollTop }));
  }, []);
  const toEnd = useCallback(() => settle("start"), [settle]);
  const toLatest = useCallback(() => {
    settle("end");
    // The button that was pressed goes away.
    place.current?.focus({ preventScroll: true });
  }, [settle]);
  const leave = useCallback(() => {
    state.current.mode = "free";
  }, []);
  useEffect(() => {
    const node = place.current;
    const inner = content.current;
    if (!node || !inner) return;
    const scrolled = () => {
      const now = state.current;
      const view = viewOf(node);
      now.mode = afterScroll(now.mode, view, now.was);
      now.was = view.top;
      setMore(hasMore(view));
    };
    const grown = new ResizeObserver(() => {
      const now = state.current;
      const newest = newestOf(node);
      // The next question is read from its beginning as well.
      const mode = newest !== now.newest && now.mode === "end" ? "start" : now.mode;
      now.newest = newest;
      const busy = newest?.getAttribute("aria-busy") === "true";
      if (busy || performance.now() - now.pressed > PRESSED_MS) settle(mode);
      else setMore(hasMore(viewOf(node)));
    });
    const press = () => {
      state.current.pressed = performance.now();
    };
    node.addEventListener("scroll", scrolled, { passive: true });
    inner.addEventListener("click", press, { capture: true });
    grown.observe(inner);
    grown.observe(node);
    return () => {
      node.removeEventListener("scroll", scrolled);
      inner.removeEventListener("click", press, { capture: true });
      grown.disconnect();
    };
  }, [settle]);
  useEffect(() => {
    state.current = { mode: "start", was: 0, newest: null, pressed: -Infinity };
  }, [of]);
  return { place, content, toEnd, toLatest, leave, more };
}

function newestOf(node: HTMLElement): HTMLElement | null {
  const turns = node.querySelectorAll<HTMLElement>(".turn");
  return turns[turns.length - 1] ?? null;
}

function viewOf(node: HTMLElement): View {
  const end = Math.max(0, node.scrollHeight - node.clientHeight);
  const newest = newestOf(node);
  const top = node.scrollTop;
  // What is offered before the first question is read from its beginning.
  if (!newest) return { top, end, start: 0 };
  const at = (one: Element) => one.getBoundingClientRect().top - node.getBoundingClientRect().top + top;
  const answer = newest.querySelector(".question [aria-expanded='true']") ? null : newest.querySelector("div.answer");
  // Where much stands before an answer, its beginning is in sight all the same.
  return { top, end, start: Math.max(at(newest), answer ? at(answer) - node.clientHeight / 2 : 0) };
}
