// Evidence in an answer: each figure underlined, dotted with the number of the step it came from, wavy without a source.

import { useMemo, type ReactNode } from "react";
import type { Figure } from "../api/events";
import { Markdown, Underlining, type Underline } from "../markdown/Markdown";
import { sourceOf, type Turn } from "./fold";
import { toUnits } from "./words";

const SHORT = 40;

export interface Lit {
  readonly call: string;
  readonly found: string | null;
}

interface Props {
  readonly turn: Turn;
  readonly text: string;
  readonly lit: string | null;
  readonly onOpen: (call: string) => void;
  readonly onLight: (lit: Lit | null) => void;
}

export function AnswerText({ turn, text, lit, onOpen, onLight }: Props): ReactNode {
  const figures = turn.evidence?.figures;
  const marks = useMemo(
    () => (figures ?? []).map((one) => ({ from: toUnits(text, one.start), to: toUnits(text, one.end) })),
    [figures, text],
  );
  const underline = useMemo<Underline>(
    () => (index, part, last) => {
      const figure = figures?.[index];
      if (!figure) return part;
      return (
        <Marked
          {...{ turn, figure, last, onOpen, onLight }}
          lit={figure.source !== null && figure.source === lit}
          text={part}
        />
      );
    },
    [figures, turn, lit, onOpen, onLight],
  );
  return (
    <Underlining value={underline}>
      <Markdown source={text} marks={marks} />
    </Underlining>
  );
}

interface MarkedProps {
  readonly turn: Turn;
  readonly figure: Figure;
  readonly text: string;
  readonly last: boolean;
  readonly lit: boolean;
  readonly onOpen: (call: string) => void;
  readonly onLight: (lit: Lit | null) => void;
}

// A figure may stand in several pieces, as where a part of it is bold: only the last has the number.
function Marked({ turn, figure, text, last, lit, onOpen, onLight }: MarkedProps): ReactNode {
  const step = sourceOf(turn, figure);
  const short = text.length <= SHORT ? " short" : "";
  if (step === null) {
    return (
      <span className={`figure unsourced${short}`} title="No source was found for this">
        {text}
        {last && <span className="unseen"> (no source)</span>}
      </span>
    );
  }
  if (step === "question")
    return (
      <span className={`figure sourced${short}`} title="From the question">
        {text}
      </span>
    );
  const call = figure.source ?? "";
  const light = () => onLight({ call, found: figure.found });
  const dim = () => onLight(null);
  return (
    <span className={`figure sourced${short}${lit ? " lit" : ""}`} onMouseEnter={light} onMouseLeave={dim}>
      {text}
      {last && (
        <button
          type="button"
          className="source"
          aria-label={`from step ${step}`}
          onFocus={light}
          onBlur={dim}
          onClick={() => onOpen(call)}
        >
          {step}
        </button>
      )}
    </span>
  );
}
