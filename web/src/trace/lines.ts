// A turn as lines of text: the same rows, for those who like it so and for pasting elsewhere.

import { childSummary } from "../turn/children";
import type { Acted, Kind, Row, Turn } from "../turn/fold";
import { ticked } from "../turn/plan";
import { count, duration, money } from "../turn/words";
import { rowsOf } from "./attempts";
import { textLines } from "./table";
import { t } from "../language/t";

// `open`: what follows stands on the same line.
export interface Line {
  readonly kind: Kind | "said" | "soft";
  readonly text: string;
  readonly open?: boolean;
}

const SIGNS = { think: "○", act: "▶", answer: "◆", trouble: "✗", note: "↳", plan: "☐" } as const;
const TICKS = { pending: "☐", running: "◐", done: "☑", failed: "☒" } as const;
const RAIL_CHARS = 30;
const MOST_LINES = 200;

// `counts`: whether tokens say anything.
export function terminal(turn: Turn, counts = true): readonly Line[] {
  const lines: Line[] = [{ kind: "said", text: `> ${turn.question}` }, ...railLine(turn)];
  for (const row of rowsOf(turn)) lines.push(...rowLines(row, turn, counts));
  if (turn.answer)
    lines.push(
      { kind: "said", text: "" },
      ...turn.answer.text.split("\n").map((text): Line => ({ kind: "said", text })),
    );
  if (turn.totals) {
    const { tool_calls, iterations, seconds, input_tokens, output_tokens, cost, unpriced_calls, error } = turn.totals;
    if (error && !turn.totals.attempts?.length) lines.push({ kind: "trouble", text: `✗ ${error}` });
    const parts = [turn.totals.status, count(tool_calls, "tool"), count(iterations, "step"), duration(seconds)];
    if (counts) parts.push(count(input_tokens + output_tokens, "token"), money(cost, unpriced_calls));
    lines.push({ kind: "soft", text: `-- ${parts.join(" · ")}` });
  }
  return lines;
}

// The rail in one line, each step as long as it took.
function railLine(turn: Turn): Line[] {
  const whole = turn.segments.reduce((sum, one) => sum + one.seconds, 0);
  const parts = turn.segments.map(({ kind, seconds }): Line => {
    const width = Math.max(1, Math.round((RAIL_CHARS * seconds) / (whole || 1)));
    return { kind, text: `${(kind === "wait" ? "╌" : "━").repeat(width)} `, open: true };
  });
  return parts.length ? [...parts, { kind: "soft", text: "" }] : [];
}

export const written = (lines: readonly Line[]): string =>
  lines.map((line) => (line.open ? line.text : `${line.text}\n`)).join("");

function rowLines(row: Row, turn: Turn, counts: boolean): Line[] {
  const number = row.number === null ? "" : `${row.number} `;
  const sign = SIGNS[row.kind];
  const kind = row.kind === "note" || row.kind === "plan" ? "soft" : row.kind;
  if (row.kind === "plan")
    return [
      { kind, text: t("{0} Plan", sign) },
      ...ticked(turn, row).map(({ step, state }): Line => ({
        kind: "soft",
        text: `  ${TICKS[state]} ${step.description} [${step.tool_name}]`,
      })),
    ];
  if (row.kind === "act") return actLines(row, number, counts);
  const took = row.seconds === null ? "" : `  (${duration(row.seconds)})`;
  const body =
    row.kind === "answer" ? [] : row.text.split("\n").map((text): Line => ({ kind: "soft", text: `    ${text}` }));
  return [{ kind, text: `${sign} ${number}${row.title}${took}` }, ...body];
}

// What a sub-agent did, under the call that it answers.
function childLines(child: Turn, counts: boolean): Line[] {
  const lines = child.rows.flatMap((row) => (row.kind === "answer" ? [] : rowLines(row, child, counts)));
  return [...lines, { kind: "soft" as const, text: `-- ${childSummary(child)}` }].map((line) => ({
    ...line,
    text: `    ${line.text}`,
  }));
}

function actLines(row: Acted, number: string, counts: boolean): Line[] {
  const args = Object.entries(row.call.args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const took = row.seconds === null ? row.state : duration(row.seconds) + (row.result?.cached ? t(", cached") : "");
  const call: Line = { kind: "act", text: `${SIGNS.act} ${number}${row.title}(${args.join(", ")})  (${took})` };
  const head = row.child ? [call, ...childLines(row.child, counts)] : [call];
  if (!row.result) return head;
  if (!row.result.success) return [...head, { kind: "trouble", text: `  ✗ ${row.result.error ?? "failed"}` }];
  const all = textLines(row.result);
  const shown = all.slice(0, MOST_LINES).map((text): Line => ({ kind: "observe", text: `  ← ${text}` }));
  return all.length > MOST_LINES
    ? [...head, ...shown, { kind: "soft", text: t("  … {0} more", all.length - MOST_LINES) }]
    : [...head, ...shown];
}
