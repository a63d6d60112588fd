// The notices among the settings of a turn; what has another shape is left out.

import type { Notice } from "./model";

const MOST = 20;

export function noticesOf(settings: Readonly<Record<string, unknown>> | undefined): readonly Notice[] {
  const given = settings?.["notices"];
  if (!Array.isArray(given)) return [];
  return (given as readonly unknown[]).slice(0, MOST).flatMap((one) => {
    if (typeof one !== "object" || one === null || !("text" in one) || typeof one.text !== "string") return [];
    return [{ kind: "kind" in one && one.kind === "error" ? "error" : "info", text: one.text } as const];
  });
}
