// A map of our own: outlines of states and counties, and over them areas, lines and points that a tool told. It asks
// nobody else for anything. What it shows stands in a table as well.

import {
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from "react";
import { inUnit } from "../trace/chart";
import type { ToolMap } from "../trace/map";
import { register, useLit } from "../turn/pointing";
import { Labels } from "./Labels";
import { Areas, Ground, Lines } from "./layers";
import "./map.css";
import { drawn, loadCounties, STATES, type Outlines as Loaded } from "./outlines";
import { shadesOf } from "../ui/shades";
import { Below, Controls, spoken } from "./parts";
import { MapTable } from "./MapTable";
import { Points } from "./Points";
import { STEP, useGestures } from "./useGestures";
import { between, centred, fitted, focused, isSame, metresAcross, zoomed, type Size, type View } from "./view";
import { t } from "../language/t";

// Seen from nearer than this many metres across, a map has counties.
const NEAR_M = 900_000;
const [LOWEST, HIGHEST] = [220, 400];

export default function MapFigure({ map }: { map: ToolMap }): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const [moved, setMoved] = useState<View | null>(null);
  const first = useMemo(() => focused(map, size), [map, size]);
  const whole = useMemo(() => fitted(map, size), [map, size]);
  const view = moved ?? first;
  const change = useCallback((by: (view: View) => View) => setMoved((now) => by(now ?? first)), [first]);
  const reset = useCallback(() => setMoved(isSame(first, whole) ? null : whole), [first, whole]);
  const gestures = useGestures(box, size, change, reset);
  const { wasDrag, ...handlers } = gestures;
  const known = useMemo(() => new Set([...map.points, ...map.areas].map((one) => one.id)), [map]);
  useEffect(() => register(known), [known]);
  const lit = useLit(known, true);
  // Outlines take the longest: while the view moves, those of a moment ago move with it.
  const settled = useDeferredValue(view);
  const transform = between(settled, view, size);
  const counties = useCounties(metresAcross(settled, size) < NEAR_M);
  const shades = useMemo(() => shadesOf(map.areas.flatMap((area) => area.value ?? [])), [map]);
  const outlines = useMemo(
    () => ({ states: drawn(STATES, settled, size), counties: counties ? drawn(counties, settled, size) : [] }),
    [settled, size, counties],
  );
  const format = useMemo(() => inUnit(map.unit), [map.unit]);
  return (
    <figure className="chart map">
      <figcaption>{map.title}</figcaption>
      <div
        ref={box}
        // Where there is no outline nobody knows what is water.
        className={outlines.states.length ? "map-view" : "map-view bare"}
        style={{ height: size.height }}
        tabIndex={0}
        role="group"
        aria-label={t("{0}: a map. Arrow keys move it, plus and minus zoom, 0 shows everything.", map.title)}
        {...handlers}
      >
        <svg viewBox={`0 0 ${size.width} ${size.height}`} role="img" aria-label={spoken(map, format)}>
          <Ground {...outlines} transform={transform} />
          <Areas {...{ map, size, lit, shades, wasDrag, transform }} view={settled} />
          <Labels {...outlines} {...{ map, size, transform }} view={settled} scale={view.scale / settled.scale} />
          <Lines {...{ map, view, size, lit }} />
          <Points
            {...{ map, view, size, lit, wasDrag }}
            onZoom={(at) => change((now) => zoomed(now, size, STEP ** 2, at))}
          />
        </svg>
        <Controls
          onZoom={(by) => change((now) => zoomed(now, size, by))}
          onReset={isSame(view, whole) ? null : reset}
        />
      </div>
      <Below {...{ map, view, size, lit, shades, format }} />
      <MapTable {...{ map, format, lit }} onShow={(at) => change((now) => centred(now, size, at))} />
    </figure>
  );
}

function useSize(box: RefObject<HTMLElement | null>): Size {
  const [width, setWidth] = useState(480);
  useLayoutEffect(() => {
    const node = box.current;
    if (!node) return undefined;
    const measure = () => node.clientWidth && setWidth(node.clientWidth);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(node);
    return () => watch.disconnect();
  }, []);
  return useMemo(() => ({ width, height: Math.round(Math.max(LOWEST, Math.min(HIGHEST, width * 0.62))) }), [width]);
}

function useCounties(wanted: boolean): Loaded | null {
  const [counties, setCounties] = useState<Loaded | null>(null);
  useEffect(() => {
    if (!wanted) return undefined;
    let here = true;
    void loadCounties().then((loaded) => here && setCounties(loaded));
    return () => {
      here = false;
    };
  }, [wanted]);
  return wanted ? counties : null;
}
