// Asking: what is being written, whether it is on its way, and what to say where it cannot be asked.

import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { ApiError, messageOf } from "../api/client";
import { usePreferences } from "../preferences";
import { openQuestion } from "../turn/fold";
import { BUSY } from "./Composer";
import type { Held } from "./useConversation";

interface Given {
  readonly held: Held;
  readonly assistant: string;
  readonly running: boolean;
  readonly onTaken: () => void;
  readonly onRefused: () => void;
}

export interface Asking {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly problem: ReactNode;
  readonly setProblem: (problem: ReactNode) => void;
  readonly sending: boolean;
  readonly ask: (question: string, supersedes?: boolean, of?: string) => Promise<void>;
  readonly send: () => void;
  readonly stop: () => Promise<void>;
  // Into the field; `again` where it was asked before and is to be asked in other words.
  readonly put: (question: string, again?: boolean) => void;
  readonly again: boolean;
  readonly giveUp: () => void;
  // Stops what is only on its way; whether anything was.
  readonly takeBack: () => boolean;
}

export function useAsking({ held, assistant, running, onTaken, onRefused }: Given): Asking {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<ReactNode>("");
  const [sending, setSending] = useState(false);
  const [again, setAgain] = useState(false);
  const { model } = usePreferences();
  const { conversation } = held;
  // Not state: a key may be pressed before what it depends on is drawn.
  const asking = useRef(false);
  const takenBack = useRef(false);

  useEffect(() => {
    if (!running) setProblem((now) => (now === BUSY ? "" : now));
  }, [running]);

  const stop = useCallback(() => held.stop().catch((error: unknown) => setProblem(messageOf(error))), [held.stop]);

  const ask = async (question: string, supersedes = false, of = model): Promise<void> => {
    setProblem("");
    setSending(true);
    asking.current = true;
    takenBack.current = false;
    try {
      const waits = conversation.open?.status === "paused";
      await held.ask({ question, assistant, model: of, supersedes: supersedes || waits });
      setText("");
      setAgain(false);
      onTaken();
      if (takenBack.current) void stop();
    } catch (error) {
      setText(question);
      refuse(error, question);
    } finally {
      asking.current = false;
      setSending(false);
    }
  };

  const refuse = (error: unknown, question: string): void => {
    const status = error instanceof ApiError ? error.status : null;
    if (status === 401) onRefused();
    else if (status !== 409) setProblem(messageOf(error));
    else {
      setProblem(
        <>
          Another question of this conversation is not over yet.{" "}
          <button type="button" className="more" onClick={() => void ask(question, true)}>
            Stop that and ask this
          </button>
        </>,
      );
      void held.catchUp();
    }
  };

  // To a turn under way: a further message, or the answer to what it asks.
  const tell = async (said: string, to: (text: string) => Promise<void>): Promise<void> => {
    setProblem("");
    setSending(true);
    asking.current = true;
    try {
      await to(said);
      setText("");
      setAgain(false);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onRefused();
      else setProblem(messageOf(error));
      void held.catchUp();
    } finally {
      asking.current = false;
      setSending(false);
    }
  };

  const send = (): void => {
    const question = text.trim();
    if (!question || asking.current) return;
    const { open } = conversation;
    // A command is no message to whoever works on the question before.
    if (open?.status === "running" && question.startsWith("/")) setProblem(BUSY);
    else if (open?.status === "running") void tell(question, held.steer);
    else if (open && openQuestion(open)) void tell(question, held.answer);
    else void ask(question);
  };

  const giveUp = (): void => {
    setText("");
    setAgain(false);
  };

  const put = (question: string, asked = false): void => {
    setText(question);
    setAgain(asked);
    window.setTimeout(() => document.getElementById("question")?.focus(), 0);
  };

  const takeBack = (): boolean => {
    takenBack.current ||= asking.current;
    return asking.current;
  };

  return { text, setText, problem, setProblem, sending, ask, send, stop, put, again, giveUp, takeBack };
}
