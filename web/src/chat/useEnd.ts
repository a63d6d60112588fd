// Whoever is at the end of a conversation stays there while it grows, until the newest question is at the top: an answer
// is read from its beginning. Whoever reads further up is left alone.

import { useCallback, useEffect, useRef, type RefObject } from "react";

const NEAR_PX = 80;

interface End {
  readonly place: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly toEnd: () => void;
}

export function useEnd(of: string | null): End {
  const place = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const toEnd = useCallback(() => {
    atEnd.current = true;
    if (place.current) follow(place.current);
  }, []);
  useEffect(() => {
    const node = place.current;
    const inner = content.current;
    if (!node || !inner) return;
    const scrolled = () => {
      atEnd.current = Math.abs(furthest(node) - node.scrollTop) < NEAR_PX;
    };
    const grown = new ResizeObserver(() => {
      if (atEnd.current) follow(node);
    });
    node.addEventListener("scroll", scrolled, { passive: true });
    grown.observe(inner);
    grown.observe(node);
    return () => {
      node.removeEventListener("scroll", scrolled);
      grown.disconnect();
    };
  }, []);
  useEffect(() => {
    atEnd.current = true;
  }, [of]);
  return { place, content, toEnd };
}

// The end, or where the newest question is at the top if that comes first.
function furthest(node: HTMLElement): number {
  const turns = node.querySelectorAll<HTMLElement>(".turn");
  const last = turns[turns.length - 1];
  const end = node.scrollHeight - node.clientHeight;
  // What is offered before the first question is read from its beginning.
  if (!last) return 0;
  const top = last.getBoundingClientRect().top - node.getBoundingClientRect().top + node.scrollTop;
  return Math.min(end, top);
}

function follow(node: HTMLElement): void {
  node.scrollTop = furthest(node);
}
