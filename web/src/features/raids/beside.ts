// Rows of one player or of two, matched by name.

export interface Named {
  readonly name: string;
}

export interface Beside<T> {
  readonly name: string;
  // One for each player, null where the player has none.
  readonly values: readonly (T | null)[];
}

// The largest of either first.
export function beside<T extends Named>(
  lists: readonly (readonly T[])[],
  size: (row: T) => number,
  nameOf: (row: T) => string = (row) => row.name,
): readonly Beside<T>[] {
  const names = [...new Set(lists.flatMap((rows) => rows.map(nameOf)))];
  const largest = (row: Beside<T>): number => Math.max(...row.values.map((one) => (one ? size(one) : 0)));
  return names
    .map((name) => ({ name, values: lists.map((rows) => rows.find((one) => nameOf(one) === name) ?? null) }))
    .sort((one, other) => largest(other) - largest(one));
}
