// The stops of a replay: the events that change something one can see, in the words of steps. Pure.

import type { AnyEvent } from "../api/events";
import { callRow, type Turn } from "../turn/fold";
import { t } from "../language/t";

export interface Stop {
  // How many events have happened by then.
  readonly until: number;
  readonly label: string;
}

const WORDS: { readonly [type in AnyEvent["type"]]?: string } = {
  turn_started: t("the question"),
  tools_shortlisted: t("tools chosen"),
  plan_made: t("a plan"),
  plan_adjusted: t("the plan changed"),
  context_compacted: t("the context was shortened"),
  answer_evaluated: t("the answer was checked"),
  turn_finished: t("the end"),
};

export function stopsOf(events: readonly AnyEvent[], turn: Turn): readonly Stop[] {
  return events.flatMap((event, place) => {
    const label = labelOf(event, turn);
    return label ? [{ until: place + 1, label }] : [];
  });
}

function labelOf(event: AnyEvent, turn: Turn): string | null {
  const within = (step: number, what: string) => (step ? t("step {0} of {1}: {2}", step, turn.steps, what) : what);
  const tool = (id: string) => callRow(turn, id)?.title ?? t("a tool");
  switch (event.type) {
    case "route_decided":
      return t("routed to {0}", event.route.destination);
    case "thought_recorded":
      return event.implied ? null : within(event.step, t("a thought"));
    case "approval_requested":
      return within(event.step, t("{0} waits for a decision", event.call.tool));
    case "approval_decided":
      return `${tool(event.call_id)} ${event.approved ? t("approved") : t("refused")}`;
    case "question_asked":
      return within(event.step, t("a question to the user"));
    case "question_answered":
      return t("the user answered");
    case "message_received":
      return within(event.step, t("another message"));
    case "tool_called":
      return within(event.step, t("{0} called", event.call.tool));
    case "tool_returned":
      return within(event.step, `${tool(event.call_id)} ${event.result.success ? t("returned") : t("failed")}`);
    case "guardrail_triggered":
      return t("the guardrail {0} {1} something", event.name, event.action === "stop" ? t("stopped") : t("changed"));
    case "answer_given":
      return within(turn.steps, t("the answer"));
    default:
      return WORDS[event.type] ?? null;
  }
}
