// The notices among the settings of a turn, and what was asked for in them; what has another shape is left out.

import type { Notice, Turn, Wanted } from "./model";

const MOST = 20;

function noticesOf(settings: Readonly<Record<string, unknown>> | undefined): readonly Notice[] {
  const given = settings?.["notices"];
  if (!Array.isArray(given)) return [];
  return (given as readonly unknown[]).slice(0, MOST).flatMap((one) => {
    if (typeof one !== "object" || one === null || !("text" in one) || typeof one.text !== "string") return [];
    return [{ kind: "kind" in one && one.kind === "error" ? "error" : "info", text: one.text } as const];
  });
}

const EFFORTS = ["low", "medium", "high"] as const;

function wantedOf(settings: Readonly<Record<string, unknown>> | undefined): Wanted {
  const given = settings?.["wanted"];
  if (typeof given !== "object" || given === null) return { model: "", effort: "" };
  const model = "model" in given && typeof given.model === "string" ? given.model : "";
  const effort = EFFORTS.find((one) => "effort" in given && given.effort === one) ?? "";
  return { model, effort };
}

export const ofSettings = (
  settings: Readonly<Record<string, unknown>> | undefined,
): Pick<Turn, "notices" | "wanted"> => ({
  notices: noticesOf(settings),
  wanted: wantedOf(settings),
});
