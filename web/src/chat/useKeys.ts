// Keys that work wherever one is on the page.

import { useEffect, useRef } from "react";

interface Keys {
  readonly palette: () => void;
  readonly slash: () => void;
  readonly escape: () => void;
}

export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        latest.current.palette();
      } else if (event.key === "/" && !isField(event.target)) {
        event.preventDefault();
        latest.current.slash();
      } else if ((event.key === "j" || event.key === "k") && !isField(event.target) && !isStep(event.target)) {
        document.querySelector<HTMLElement>(".steps .step")?.focus();
      } else if (event.key === "Escape" && !event.isComposing && !event.defaultPrevented) latest.current.escape();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, []);
}

const isStep = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && Boolean(target.closest(".step"));

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
