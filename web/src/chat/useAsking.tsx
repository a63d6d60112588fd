// Asking: what is being written, whether it is on its way, and what to say where it cannot be asked.

import { useCallback, useRef, useState, type ReactNode } from "react";
import { ApiError, messageOf } from "../api/client";
import { asSent, attach as readFiles, attachedOf, type Attached } from "../attachments/attached";
import type { TurnOptions } from "../features/features";
import { openQuestion } from "../turn/fold";
import type { Turn } from "../turn/model";
import { unknownCommand } from "./Commands";
import type { Asked, How } from "./newTurn";
import type { Held } from "./useConversation";
import { t } from "../language/t";

interface Given {
  readonly held: Held;
  readonly assistant: string;
  readonly options: TurnOptions;
  readonly onTaken: () => void;
  readonly onRefused: () => void;
}

export interface Asking {
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly problem: ReactNode;
  readonly setProblem: (problem: ReactNode) => void;
  readonly sending: boolean;
  // Whether it was taken.
  readonly ask: (question: string, how?: How) => Promise<boolean>;
  // Whether a line can be sent; else it says why not.
  readonly check: (line: string) => boolean;
  readonly send: () => void;
  readonly stop: () => Promise<void>;
  // Into the field; `again` is the turn whose question is edited.
  readonly put: (question: string, again?: Turn) => void;
  // Into the field, before what is there.
  readonly putBack: (text: string, attached?: readonly Attached[]) => void;
  readonly attachments: {
    readonly attached: readonly Attached[];
    readonly onAttach: (files: readonly File[]) => void;
    readonly onDetach: (key: string) => void;
  };
  readonly again: Turn | null;
  readonly giveUp: () => void;
  // Stops what is only on its way; whether anything was.
  readonly takeBack: () => boolean;
}

export function useAsking({ held, assistant, options, onTaken, onRefused }: Given): Asking {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<ReactNode>("");
  const [sending, setSending] = useState(false);
  const [again, setAgain] = useState<Turn | null>(null);
  const [attached, setAttached] = useState<readonly Attached[]>([]);
  const latest = useRef(attached);
  latest.current = attached;
  const reading = useRef(Promise.resolve());
  const model = options.model ?? "";
  const { conversation } = held;
  // Not state: a key may be pressed before what it depends on is drawn.
  const asking = useRef(false);
  const takenBack = useRef(false);

  const stop = useCallback(() => held.stop().catch((error: unknown) => setProblem(messageOf(error))), [held.stop]);

  const ask = async (question: string, how: How = {}): Promise<boolean> => {
    const { supersedes = false, of = model } = how;
    setProblem("");
    setSending(true);
    asking.current = true;
    takenBack.current = false;
    try {
      const waits = conversation.open?.status === "paused";
      const asIs = how.again ?? how.continues;
      const version = {
        ...(how.again || how.edits ? { replaces: (how.again ?? how.edits)?.id, edited: !how.again } : {}),
        ...(how.continues ? { continues: how.continues.id } : {}),
      };
      // What was given a moment ago may still be read.
      if (!asIs) await reading.current;
      const attachments = asIs ? [] : asSent(how.queued ?? latest.current);
      const asked = { question, assistant, model: of, supersedes: supersedes || waits, attachments, options };
      await held.ask({ ...asked, ...version } as Asked);
      if (!asIs && !how.queued) giveUp();
      onTaken();
      if (takenBack.current) void stop();
      return true;
    } catch (error) {
      if (!how.again && !how.continues && !how.queued) setText(question);
      refuse(error, question, how);
      return false;
    } finally {
      asking.current = false;
      setSending(false);
    }
  };

  const refuse = (error: unknown, question: string, how: How): void => {
    const status = error instanceof ApiError ? error.status : null;
    if (status === 401) onRefused();
    else if (status !== 409) setProblem(messageOf(error));
    else {
      setProblem(
        <>
          {t("Another question in this conversation is still running.")}{" "}
          <button type="button" className="more" onClick={() => void ask(question, { ...how, supersedes: true })}>
            {t("Stop that and ask this")}
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
      setAgain(null);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onRefused();
      else setProblem(messageOf(error));
      void held.catchUp();
    } finally {
      asking.current = false;
      setSending(false);
    }
  };

  const check = (line: string): boolean => {
    const unknown = unknownCommand(line);
    if (unknown) setProblem(unknown);
    return !unknown;
  };

  const send = (): void => {
    const question = text.trim();
    if (!question && attached.length) setProblem(t("Say what to do with the attachments."));
    if (!question || asking.current) return;
    if (!check(question)) return;
    const { open } = conversation;
    if (attached.length && open && (open.status === "running" || openQuestion(open))) {
      setProblem(t("Images and files can only go with a new question: remove them to answer this one."));
      return;
    }
    if (open?.status === "running") void tell(question, held.steer);
    else if (open && openQuestion(open)) void tell(question, held.answer);
    else void ask(question, again ? { edits: again } : {});
  };

  const attach = (files: readonly File[]): void => {
    // One after the other: what is read meanwhile must not be lost.
    reading.current = reading.current.then(async () => {
      const [all, why] = await readFiles(latest.current, files);
      latest.current = all;
      setAttached(all);
      setProblem(why);
    });
  };

  const detach = (key: string): void => setAttached(attached.filter((one) => one.key !== key));

  const giveUp = (): void => {
    setText("");
    setAttached([]);
    setAgain(null);
  };

  const put = (question: string, asked?: Turn): void => {
    setText(question);
    setAgain(asked ?? null);
    if (asked?.attachments.length) {
      attachedOf(asked).then(setAttached, (error: unknown) => setProblem(messageOf(error)));
    }
    window.setTimeout(() => document.getElementById("question")?.focus(), 0);
  };

  const putBack = (said: string, files: readonly Attached[] = []): void => {
    setText(text.trim() ? `${said}\n\n${text}` : said);
    setAttached([...files, ...attached]);
    document.getElementById("question")?.focus();
  };

  const takeBack = (): boolean => {
    takenBack.current ||= asking.current;
    return asking.current;
  };

  const attachments = { attached, onAttach: attach, onDetach: detach };
  const fields = { text, setText, problem, setProblem, sending, again, attachments };
  return { ...fields, ask, check, send, stop, put, putBack, giveUp, takeBack };
}
