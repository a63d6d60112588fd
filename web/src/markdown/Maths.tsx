// A formula. Until the part of the page that draws formulas is there, and where it cannot, its source is shown.

import { useLayoutEffect, useRef, type ReactNode } from "react";

type Draw = typeof import("./formula").draw;
let loaded: Draw | null = null;

export function Maths({ source, display }: { source: string; display: boolean }): ReactNode {
  const place = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    let wanted = true;
    // At once where it can be: while an answer is written nothing may blink.
    if (loaded && place.current) loaded(source, place.current, display);
    else
      void import("./formula").then(({ draw }) => {
        loaded = draw;
        if (wanted && place.current) draw(source, place.current, display);
      });
    return () => {
      wanted = false;
    };
  }, [source, display]);
  return (
    <code ref={place} className={display ? "maths display" : "maths"} key={source}>
      {source}
    </code>
  );
}
