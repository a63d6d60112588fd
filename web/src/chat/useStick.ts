// A place that grows at its end while somebody looks at that end: it stays in sight. Elsewhere nothing moves.

import { useEffect, type RefObject } from "react";

const NEAR_PX = 40;

export function useStick(place: RefObject<HTMLElement | null>, growing: boolean): void {
  useEffect(() => {
    const node = place.current;
    if (!node || !growing) return;
    let atEnd = true;
    const scrolled = () => {
      atEnd = node.scrollHeight - node.scrollTop - node.clientHeight < NEAR_PX;
    };
    const grown = new MutationObserver(() => {
      if (atEnd) node.scrollTop = node.scrollHeight;
    });
    node.addEventListener("scroll", scrolled, { passive: true });
    grown.observe(node, { childList: true, subtree: true });
    return () => {
      node.removeEventListener("scroll", scrolled);
      grown.disconnect();
    };
  }, [place, growing]);
}
