// Values as shades of one hue: a few classes of equal width between round figures. Pure.

export interface Shades {
  // From the lowest class to the highest: where each begins, and where the last ends.
  readonly edges: readonly number[];
  readonly classOf: (value: number) => number;
}

export const CLASSES = 5;

export function shadesOf(values: readonly number[]): Shades | null {
  if (!values.length) return null;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // From nothing, where that is not far away: a shade then says how much, and not only how much more.
  const low = least > 0 && least < most / 2 ? 0 : least;
  if (most <= low) return { edges: [low, most], classOf: () => (most ? CLASSES - 1 : 0) };
  const step = roundUp((most - low) / CLASSES);
  const first = Math.floor(low / step) * step;
  const count = Math.max(1, Math.min(CLASSES + 1, Math.ceil((most - first) / step - 1e-9)));
  const edges = Array.from({ length: count + 1 }, (_, place) => Number((first + place * step).toPrecision(12)));
  const last = count - 1;
  return {
    edges,
    classOf: (value) => {
      const place = Math.max(0, Math.min(last, Math.floor((value - first) / step)));
      return last ? Math.round((place / last) * (CLASSES - 1)) : CLASSES - 1;
    },
  };
}

// The next round figure.
function roundUp(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const wanted = step / power;
  return power * ([1, 1.5, 2, 2.5, 3, 4, 5, 6, 8].find((one) => wanted <= one * (1 + 1e-9)) ?? 10);
}
