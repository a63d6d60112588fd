// The ids that are lit: a point or an area of a map, the rows of tables that name it, the figures of an answer that come
// from such a row. Whichever is pointed at lights the others up.

import { useMemo, useSyncExternalStore } from "react";
import { isRecord, type Path } from "../trace/cells";

type Ids = readonly string[];

const NONE: Ids = [];
// What one points at on a map or in a table, what was pressed there, and what the figure is of that one looks at.
const now = { pointed: NONE, kept: NONE, figure: NONE };
const readers = new Set<() => void>();
const onMaps = new Map<string, number>();

const isSame = (one: Ids, other: Ids): boolean =>
  one.length === other.length && one.every((id, place) => id === other[place]);

function put(slot: keyof typeof now, ids: Ids): void {
  if (isSame(ids, now[slot])) return;
  now[slot] = ids;
  readers.forEach((read) => read());
}

export const pointAt = (ids: Ids): void => put("pointed", ids);
// Until it is pressed again, or another is.
export const keep = (ids: Ids): void => put("kept", isSame(ids, now.kept) ? NONE : ids);
export const lightFigure = (ids: Ids): void => put("figure", ids);

// Ids that stand on a map that is shown: only these are worth pointing at.
export function register(ids: ReadonlySet<string>): () => void {
  for (const id of ids) onMaps.set(id, (onMaps.get(id) ?? 0) + 1);
  return () => {
    for (const id of ids) {
      const left = (onMaps.get(id) ?? 1) - 1;
      if (left) onMaps.set(id, left);
      else onMaps.delete(id);
    }
    for (const slot of ["pointed", "kept"] as const) if (now[slot].some((id) => !onMaps.has(id))) put(slot, NONE);
  };
}

export const onMap = (values: readonly unknown[]): Ids =>
  values.filter((value): value is string => typeof value === "string" && onMaps.has(value));

function subscribe(read: () => void): () => void {
  readers.add(read);
  return () => readers.delete(read);
}

// Those of `known` that are lit; `figures`: also by a figure.
export function useLit(known: ReadonlySet<unknown>, figures: boolean): ReadonlySet<unknown> {
  const read = (): string => {
    const looked = figures && now.figure.length ? now.figure : now.kept;
    return (now.pointed.length ? now.pointed : looked).filter((id) => known.has(id)).join("\n");
  };
  const ids = useSyncExternalStore(subscribe, read);
  return useMemo(() => new Set(ids ? ids.split("\n") : []), [ids]);
}

// What the records on the way to a value are named by, and name.
export function namesOn(data: unknown, path: Path): Ids {
  const found: string[] = [];
  let value = data;
  for (const part of path) {
    if (typeof value !== "object" || value === null) break;
    if (isRecord(value)) found.push(...Object.values(value).filter((one) => typeof one === "string"));
    value = Object.hasOwn(value, part) ? (value as Readonly<Record<string | number, unknown>>)[part] : null;
  }
  return found;
}
