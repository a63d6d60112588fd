// The card of a question that the assistant asks: its options as buttons, and a field for any other answer.

import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { ApiError, call, id, messageOf } from "../api/client";
import type { ActionResult } from "../api/types";
import type { Question as Asked } from "../turn/fold";
import { exact } from "../turn/words";
import { t } from "../language/t";

const STALE = t("This was answered elsewhere, or the turn is over.");
const MAX_ANSWER_CHARS = 10_000;

interface Props {
  readonly turnId: string;
  readonly question: Asked;
  readonly onAnswered: () => void;
}

export function Question({ turnId, question, onAnswered }: Props): ReactNode {
  const { asked, answer } = question;
  const [text, setText] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const card = useRef<HTMLElement>(null);
  const label = useId();
  const field = useId();
  const over = answer !== null || question.void;
  const held = useRef(false);
  useEffect(() => {
    if (over && held.current) card.current?.focus();
  }, [over]);
  const send = async (said: string) => {
    if (busy || !said.trim()) return;
    setBusy(true);
    setProblem("");
    held.current = card.current?.contains(document.activeElement) ?? false;
    try {
      await call<ActionResult>(`api/turns/${id(turnId)}/answers`, { call_id: asked.call_id, text: said });
      onAnswered();
    } catch (error) {
      setProblem(error instanceof ApiError && error.status === 409 ? STALE : messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send(text);
  };
  return (
    <section ref={card} className={`approval asks${over ? " over" : ""}`} tabIndex={-1} aria-labelledby={label}>
      <header>
        <h3 id={label}>
          {!over && <span className="unseen">{t("The assistant asks: ")}</span>}
          {exact(asked.question)}
        </h3>
      </header>
      {over ? (
        <p className="answered">{answer ? exact(answer.text) : t("Not answered: the turn is over.")}</p>
      ) : (
        <form className="decision" action={() => void send(text)}>
          {asked.options.length > 0 && (
            <div className="choices options" role="group" aria-label={t("Suggested answers")}>
              {asked.options.map((option) => (
                <button key={option} type="button" className="plain" disabled={busy} onClick={() => void send(option)}>
                  {exact(option)}
                </button>
              ))}
            </div>
          )}
          <p>
            <label htmlFor={field}>{asked.options.length ? t("Or in your own words") : t("Your answer")}</label>
            <textarea
              id={field}
              rows={2}
              maxLength={MAX_ANSWER_CHARS}
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={key}
            />
          </p>
          <div className="choices">
            <button type="submit" className="primary" disabled={busy || !text.trim()}>
              {t("Answer")}
            </button>
          </div>
          <p className="problem" role="alert">
            {problem}
          </p>
        </form>
      )}
    </section>
  );
}
