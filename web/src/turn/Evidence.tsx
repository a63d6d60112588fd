// Evidence in an answer: each figure underlined, dotted with the step it came from, wavy without a source. Pointing at
// one lights its source up; pressing keeps it lit until it is pressed again, or another is.

import {
  useMemo,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
} from "react";
import { Markdown, Underlining, type Piece, type Underline } from "../markdown/Markdown";
import type { Mark } from "../markdown/figures";
import type { Turn } from "./fold";
import { isElsewhere, sourceOf } from "./origin";
import { wantedOf, type Lighting, type Lit } from "./lit";
import { hasObserved, isSaid } from "./sourced";
import { useFigurePlaces } from "./useFigurePlaces";
import { toUnits } from "./words";
import { t } from "../language/t";

const SHORT = 40;
const NONE: readonly Mark[] = [];

const TITLES: Readonly<Record<string, string>> = {
  question: t("From your question"),
  context: t("Provided with your question"),
  earlier_words: t("You said this earlier"),
  earlier_call: t("From a tool in an earlier turn"),
  earlier_answer: t("From an earlier answer that had a source for it"),
  asked: t("The assistant asked for this; no tool returned it"),
  computed: t("Computed"),
};

interface Props {
  readonly turn: Turn;
  readonly text: string;
  // It is still being written: its figures are not known yet.
  readonly open?: boolean;
  // The call whose step is pointed at in the trace.
  readonly stepLit: string | null;
  readonly light: Lighting;
  readonly onOpen: (call: string) => void;
}

export function AnswerText({ turn, text, open = false, stepLit, light, onOpen }: Props): ReactNode {
  const figures = open ? undefined : turn.evidence?.figures;
  const marks = useMemo(
    () =>
      figures?.map((one) => ({
        from: toUnits(text, one.start),
        to: toUnits(text, one.end),
        step: sourceOf(turn, one),
      })) ?? NONE,
    // The rows before an answer stay as they are.
    [figures, text, turn.calls],
  );
  const onPlace = useFigurePlaces(turn, light.lit);
  const underline = useMemo<Underline>(() => {
    const { pointed, kept, point, keep } = light;
    const litOf = (index: number, node: HTMLElement): Lit | null => {
      const { source: call, origin = null } = figures?.[index] ?? {};
      if (!call || isElsewhere(origin)) return null;
      const back = () => {
        node.scrollIntoView({ block: "center" });
        node.focus({ preventScroll: true });
      };
      return { turn: turn.id, index, call, wanted: wantedOf(turn, index, text, marks), kept: false, back };
    };
    const isThis = (one: Lit | null, index: number) => one?.turn === turn.id && one.index === index;
    const press = (index: number, node: HTMLElement) => {
      const lit = isThis(kept, index) ? null : litOf(index, node);
      keep(lit && { ...lit, kept: true });
      if (lit) onOpen(lit.call);
    };
    return {
      figure: (index, piece) => {
        const figure = figures?.[index];
        if (!figure || (!hasObserved(turn) && (figure.source === null || isSaid(turn, figure)))) return piece.text;
        return (
          <Marked
            piece={piece}
            step={marks[index]?.step ?? null}
            said={isSaid(turn, figure)}
            worked={figure.origin === "computed" ? figure.found : null}
            lit={(figure.source !== null && figure.source === stepLit && !isElsewhere(figure.origin)) || onPlace(index)}
            kept={isThis(kept, index)}
            onPoint={(node) => isThis(pointed, index) === Boolean(node) || point(node && litOf(index, node))}
            onPress={(node) => press(index, node)}
          />
        );
      },
      table: (index, all) => (
        <FromStep
          step={marks[index]?.step ?? ""}
          all={all}
          onPress={() => figures?.[index]?.source && onOpen(figures[index].source)}
        />
      ),
    };
  }, [figures, marks, text, turn, stepLit, light, onOpen, onPlace]);
  return (
    <Underlining value={underline}>
      <Markdown {...{ source: text, marks, open }} />
    </Underlining>
  );
}

// A table whose figures are all of one step says so once.
function FromStep({ step, all, onPress }: { step: string; all: boolean; onPress: () => void }): ReactNode {
  return (
    <button type="button" className="from-step" onClick={onPress}>
      {all ? t("All figures from step ") : t("Figures from step ")}
      <span className="source" data-step={step} aria-hidden="true" />
      <span className="unseen">{step}</span>
      {all ? "" : t(" unless marked")}
    </button>
  );
}

interface MarkedProps {
  readonly piece: Piece;
  readonly step: string | null;
  readonly said: boolean;
  // How it was worked out, where it stands nowhere.
  readonly worked: string | null;
  readonly lit: boolean;
  readonly kept: boolean;
  readonly onPoint: (node: HTMLElement | null) => void;
  readonly onPress: (node: HTMLElement) => void;
}

// A figure may stand in several pieces, as where a part of it is bold: only the last has the number.
function Marked({ piece, step, said, worked, lit, kept, onPoint, onPress }: MarkedProps): ReactNode {
  const { text, last, tagged } = piece;
  const short = text.length <= SHORT ? " short" : "";
  if (step === null) {
    return (
      <span className={`figure unsourced${short}`} title={t("No source was found for this")}>
        {text}
        {last && <span className="no-source" role="img" aria-label={t("no source")} />}
      </span>
    );
  }
  const elsewhere = TITLES[step];
  if (elsewhere)
    return (
      <span className={`figure echoed${short}`} title={worked === null ? elsewhere : t("Computed from {0}", worked)}>
        {text}
      </span>
    );
  const key = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onPress(event.currentTarget);
  };
  // Moved, and not only entered: what is scrolled under a resting mouse is not pointed at.
  const point = (event: PointerEvent<HTMLElement>) => event.pointerType !== "touch" && onPoint(event.currentTarget);
  // Only the keyboard points by its focus: a press would move what it is about to press.
  const focus = ({ currentTarget }: FocusEvent<HTMLElement>) =>
    currentTarget.matches(":focus-visible") && onPoint(currentTarget);
  // Whoever has just selected some of it wants to copy it.
  const press = (event: MouseEvent<HTMLElement>) => window.getSelection()?.toString() || onPress(event.currentTarget);
  const where = step ? t("step {0}", step) : t("a tool");
  const title = worked === null ? t("From {0}: select to see it there", where) : t("Computed from {0}", worked);
  // The number is drawn, not written: what one selects and copies is what the answer says.
  return (
    <span
      className={`figure sourced pressable${said ? " echoed" : ""}${short}${lit ? " lit" : ""}`}
      role="button"
      tabIndex={last ? 0 : -1}
      aria-label={t("{0}, from {1}", text, where)}
      aria-pressed={kept}
      title={said ? t("You said this; {0} has it too", where) : title}
      onPointerMove={point}
      onPointerLeave={() => onPoint(null)}
      onFocus={focus}
      onBlur={() => onPoint(null)}
      onClick={press}
      onKeyDown={key}
    >
      {text}
      {last && tagged && step && !said && <span className="source" data-step={step} aria-hidden="true" />}
    </span>
  );
}
