// From which value to which the shades of one hue go.

import type { ReactNode } from "react";
import type { Shades } from "./shades";

interface Props {
  readonly shades: Shades;
  readonly format: (value: number) => string;
}

export function ShadesLegend({ shades: { edges, classOf }, format }: Props): ReactNode {
  const [least = 0, most = least] = [edges[0], edges.at(-1)];
  const middles = edges.slice(0, -1).map((edge, place) => (edge + (edges[place + 1] ?? edge)) / 2);
  return (
    <span className="shades-legend">
      {most > least && <span>{format(least)}</span>}
      <span className="shades">
        {(most > least ? middles.map(classOf) : [classOf(most)]).map((shade, place) => (
          <span key={place} className={`shade-${shade}`} />
        ))}
      </span>
      <span>{format(most)}</span>
    </span>
  );
}
