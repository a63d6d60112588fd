// Where one asks: a field that grows, Enter to send, commands after a slash, a model to choose, and a way to stop.

import { useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { useDrop } from "../attachments/AttachButton";
import { AttachedChips } from "../attachments/Attachments";
import { SightWarning } from "../attachments/SightWarning";
import type { Attached } from "../attachments/attached";
import type { ModelChoice } from "../models/choice";
import { usePreferences } from "../preferences";
import { useCommands } from "./Commands";
import { FieldTools, SendButtons, ToolsButton } from "./FieldTools";
import { WhileRunning } from "./WhileRunning";
import { t } from "../language/t";

interface Props {
  readonly state: "idle" | "running" | "paused" | "asked";
  readonly text: string;
  readonly sending: boolean;
  readonly problem: ReactNode;
  // What is written was asked before, and is asked in other words.
  readonly again: boolean;
  readonly hidden: boolean;
  // What the assistant adds over the field.
  readonly bar: ReactNode;
  readonly assistant: string;
  readonly model: ModelChoice;
  readonly attached: readonly Attached[];
  readonly onAttach: (files: readonly File[]) => void;
  readonly onDetach: (key: string) => void;
  readonly onGiveUp: () => void;
  readonly onText: (text: string) => void;
  readonly onSend: () => void;
  readonly onStop: () => void;
  // Edits the last question, where there is one.
  readonly onRecall: () => void;
}

const HINTS = {
  idle: t("Enter sends, Shift-Enter starts a new line, Esc stops"),
  running: t("Enter adds it to this answer, Shift-Enter starts a new line, Esc stops"),
  queueing: t("Enter sends it when this answer is finished, Shift-Enter starts a new line, Esc stops"),
  paused: t("Sending something else cancels what is waiting"),
  asked: t("Sending answers the question above; Stop cancels it"),
};

export function Composer(props: Props): ReactNode {
  const { state, text, sending, problem, again, hidden, onText, onSend, onStop, onGiveUp } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const { sendKey, whileRunning } = usePreferences();
  const [tools, setTools] = useState(false);
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    // A long hint in an empty field would make it taller.
    if (text) area.style.height = `${Math.min(area.scrollHeight, 240)}px`;
  }, [text]);
  // Whoever comes to ask can begin to write; a small screen would cover itself with its keyboard.
  useLayoutEffect(() => {
    const keys = window.matchMedia("(hover: hover)").matches || navigator.maxTouchPoints === 0;
    const large = window.matchMedia("(min-width: 900px)").matches;
    if (keys && large && document.activeElement === document.body) field.current?.focus();
  }, []);
  // A field that cannot be written in loses the focus; it has it again when it can.
  useLayoutEffect(() => {
    if (sending) return () => field.current?.focus();
    return undefined;
  }, [sending]);
  const wishes = {
    idle: t("Type a message…"),
    running: whileRunning === "steer" ? t("Add something to this answer…") : t("Ask your next question…"),
    paused: t("Decide above, or type a message to do something else…"),
    asked: t("Type your answer…"),
  };
  const waits = state === "paused" || state === "asked";
  const put = (line: string) => {
    onText(line);
    field.current?.focus();
  };
  const { attached, onAttach, onDetach } = props;
  const commands = useCommands(text, put);
  const key = (event: KeyboardEvent) => {
    if (commands.pressed(event)) return;
    if (event.key === "ArrowUp" && !text && !attached.length && state === "idle") {
      event.preventDefault();
      props.onRecall();
    }
    // While a word is being composed, Enter belongs to the input method.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    if (sendKey === "ctrl-enter" && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    onSend();
  };
  const { over, pasted, target } = useDrop(onAttach, sending);
  return (
    <form
      className="composer"
      id="composer"
      hidden={hidden}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <div className="problem" id="problem" role="alert">
        {problem}
      </div>
      {again && (
        <p className="again">
          <span>{t("Editing a question. Sending it creates a new version; the old one is kept.")}</span>
          <button type="button" className="more" onClick={onGiveUp}>
            {t("Cancel")}
          </button>
        </p>
      )}
      {props.bar}
      {state === "running" && <WhileRunning />}
      {commands.list}
      <div className={over ? "field over" : "field"} {...target}>
        <AttachedChips attached={attached} onRemove={onDetach} />
        <label className="unseen" htmlFor="question">
          {t("Question")}
        </label>
        <ToolsButton open={tools} onToggle={() => setTools(!tools)} />
        <textarea
          id="question"
          ref={field}
          rows={1}
          maxLength={200_000}
          placeholder={wishes[state]}
          value={text}
          disabled={sending}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={key}
          onPaste={pasted}
          {...commands.field}
        />
        <FieldTools open={tools} disabled={sending} model={props.model} {...{ onAttach }}>
          <button type="button" className="pill" onClick={() => put(text || "/")}>
            {t("/ commands")}
          </button>
        </FieldTools>
        <SendButtons {...{ state, sending, onStop }} written={Boolean(text.trim())} steers={whileRunning === "steer"} />
      </div>
      <SightWarning attached={attached} assistant={props.assistant} model={props.model.chosen.model} />
      <p className={waits ? "hint" : "hint keys-hint"} id="hint">
        {sendKey === "ctrl-enter" && !waits
          ? t("Ctrl-Enter sends, Esc stops")
          : HINTS[state === "running" && whileRunning === "queue" ? "queueing" : state]}
      </p>
    </form>
  );
}
