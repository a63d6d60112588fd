// Where one asks: a field that grows, Enter to send, commands after a slash, a model to choose, and a way to stop.

import { useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from "react";
import { AttachButton, useDrop } from "../attachments/AttachButton";
import { AttachedChips } from "../attachments/Attachments";
import type { Attached } from "../attachments/attached";
import type { ModelChoice } from "../models/choice";
import { ModelPicker } from "../models/ModelPicker";
import { usePreferences } from "../preferences";
import { useCommands } from "./Commands";
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
  readonly model: ModelChoice;
  readonly attached: readonly Attached[];
  readonly onAttach: (files: readonly File[]) => void;
  readonly onDetach: (key: string) => void;
  readonly onGiveUp: () => void;
  readonly onText: (text: string) => void;
  readonly onSend: () => void;
  readonly onStop: () => void;
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
  useLayoutEffect(() => {
    const area = field.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${Math.min(area.scrollHeight, 240)}px`;
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
  const commands = useCommands(text, put);
  const key = (event: KeyboardEvent) => {
    if (commands.pressed(event)) return;
    // While a word is being composed, Enter belongs to the input method.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    if (sendKey === "ctrl-enter" && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    onSend();
  };
  const { attached, onAttach, onDetach } = props;
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
        <div className="field-foot">
          <AttachButton disabled={sending} onAttach={onAttach} />
          <button type="button" className="pill commands-pill" onClick={() => put(text || "/")}>
            {t("/ commands")}
          </button>
          <ModelPicker {...props.model} />
          <span className="grow" />
          {state !== "idle" && (
            <button className="plain" id="stop" type="button" onClick={onStop}>
              {t("Stop")}
            </button>
          )}
          {state === "running" && text.trim() ? (
            <button className="primary" id="send" type="submit" disabled={sending}>
              {whileRunning === "steer" ? t("Add") : t("Queue")}
            </button>
          ) : (
            (state === "idle" || state === "running" || text.trim()) && (
              <button className="primary" id="send" type="submit" disabled={sending || state === "running"}>
                {t("Send")}
              </button>
            )
          )}
        </div>
      </div>
      <p className={waits ? "hint" : "hint keys-hint"} id="hint">
        {sendKey === "ctrl-enter" && !waits
          ? t("Ctrl-Enter sends, Esc stops")
          : HINTS[state === "running" && whileRunning === "queue" ? "queueing" : state]}
      </p>
    </form>
  );
}
