// A formula. Until the part of the page that draws formulas is there, and where it cannot, its source is shown.

import { useEffect, useRef, type ReactNode } from "react";

export function Maths({ source, display }: { source: string; display: boolean }): ReactNode {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    let wanted = true;
    void import("./formula").then(({ draw }) => {
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
