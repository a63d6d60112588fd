// What a turn asks people, its sub-agents included, and what they said.

import type { ReactNode } from "react";
import { Approval } from "../approval/Approval";
import { Question } from "../question/Question";
import { asksNow } from "./children";
import type { Turn } from "./fold";

export function Asked({ turn, onDecided }: { turn: Turn; onDecided: () => void }): ReactNode {
  return (
    <>
      {turn.approvals
        .filter((one) => asksNow(turn, one.request.call.id, one.decision !== null || one.void))
        .map((pending) => (
          <Approval
            key={`${pending.request.call.id}-${pending.request.seq}`}
            turnId={turn.id}
            assistant={turn.assistant}
            pending={pending}
            onDecided={onDecided}
          />
        ))}
      {turn.questions
        .filter((one) => asksNow(turn, one.asked.call_id, one.answer !== null || one.void))
        .map((question) => (
          <Question key={question.asked.call_id} turnId={turn.id} question={question} onAnswered={onDecided} />
        ))}
    </>
  );
}
