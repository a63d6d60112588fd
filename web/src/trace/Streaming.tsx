// What the model thinks and is about to call, while it writes it; of a sub-agent also what it answers.

import type { ReactNode } from "react";
import type { Turn } from "../turn/fold";

const MOST_CHARS = 400;

export function Streaming({ turn, answers = false }: { turn: Turn; answers?: boolean }): ReactNode {
  const { thought, tool, text } = turn.draft ?? { thought: "", tool: "", text: "" };
  const shown = [thought, tool && `${tool}(…)`, answers && text.slice(-MOST_CHARS)].filter(Boolean).join("\n");
  if (!shown) return null;
  return (
    <div role="listitem" className="step streaming">
      <span className="badge think" aria-hidden="true">
        …
      </span>
      <div>{shown}</div>
    </div>
  );
}
