// The stops of a replay: the events that change something one can see, in the words of steps. Pure.

import type { AnyEvent } from "../api/events";
import { callRow, type Turn } from "../turn/fold";

export interface Stop {
  // How many events have happened by then.
  readonly until: number;
  readonly label: string;
}

const WORDS: { readonly [type in AnyEvent["type"]]?: string } = {
  turn_started: "the question",
  tools_shortlisted: "tools chosen",
  advice_given: "advice to the model",
  plan_made: "a plan",
  plan_adjusted: "the plan changed",
  context_compacted: "the context shortened",
  answer_evaluated: "the answer checked",
  turn_finished: "the end",
};

export function stopsOf(events: readonly AnyEvent[], turn: Turn): readonly Stop[] {
  return events.flatMap((event, place) => {
    const label = labelOf(event, turn);
    return label ? [{ until: place + 1, label }] : [];
  });
}

function labelOf(event: AnyEvent, turn: Turn): string | null {
  const within = (step: number, what: string) => (step ? `step ${step} of ${turn.steps}: ${what}` : what);
  const tool = (id: string) => callRow(turn, id)?.title ?? "a tool";
  switch (event.type) {
    case "route_decided":
      return `routed to ${event.route.destination}`;
    case "thought_recorded":
      return event.implied ? null : within(event.step, "a thought");
    case "approval_requested":
      return within(event.step, `${event.call.tool} waits for a decision`);
    case "approval_decided":
      return `${tool(event.call_id)} ${event.approved ? "approved" : "refused"}`;
    case "question_asked":
      return within(event.step, "a question to the person");
    case "question_answered":
      return "the person answered";
    case "message_received":
      return within(event.step, "a further message");
    case "tool_called":
      return within(event.step, `${event.call.tool} called`);
    case "tool_returned":
      return within(event.step, `${tool(event.call_id)} ${event.result.success ? "returned" : "failed"}`);
    case "guardrail_triggered":
      return `the guardrail ${event.name} ${event.action === "stop" ? "stopped" : "changed"} something`;
    case "answer_given":
      return within(turn.steps, "the answer");
    default:
      return WORDS[event.type] ?? null;
  }
}
