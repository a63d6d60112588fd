// What is asked: a question, another version of a turn, or that its answer goes on.

import type { NewAttachment, NewTurn } from "../api/types";
import type { Attached } from "../attachments/attached";
import type { TurnOptions } from "../features/features";
import type { Turn } from "../turn/model";

export interface How {
  readonly supersedes?: boolean;
  readonly of?: string;
  // The turn that is answered anew, whose question is edited, or whose answer goes on.
  readonly again?: Turn;
  readonly edits?: Turn;
  readonly continues?: Turn;
  // What goes with a question that waited; the field has another one by now.
  readonly queued?: readonly Attached[];
}

export interface Asked {
  readonly question: string;
  readonly assistant: string;
  readonly model: string;
  readonly supersedes: boolean;
  readonly attachments: readonly NewAttachment[];
  readonly options: TurnOptions;
  // The turn that is answered anew, or whose question is edited.
  readonly replaces?: string;
  readonly edited?: boolean;
  // The turn whose answer was cut short.
  readonly continues?: string;
}

// As the API takes it, in a session after the turn `leaf`.
export function bodyOf(asked: Asked, session: string | null, leaf: string): NewTurn {
  const { question, assistant, model, supersedes, attachments, options, replaces, edited, continues } = asked;
  const of = model ? { model } : {};
  if (continues) return { continues, ...of };
  // How long a model may reason was chosen for that model.
  const { effort, ...others } = options;
  const wanted = { ...others, ...of, ...(effort && model === (options.model ?? "") ? { effort } : {}) };
  if (replaces && !edited) return { replaces, supersedes, ...wanted };
  return {
    question,
    supersedes,
    ...wanted,
    ...(attachments.length || replaces ? { attachments } : {}),
    ...(assistant && !replaces ? { assistant } : {}),
    ...(replaces ? { replaces } : {}),
    ...(session && !replaces ? { session_id: session, ...(leaf ? { previous_turn_id: leaf } : {}) } : {}),
  };
}
