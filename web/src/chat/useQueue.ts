// Questions that wait for the turn before them: kept by this tab for each conversation, sent one by one, taken back at will.

import { useEffect, useRef, useState } from "react";
import type { Attached } from "../attachments/attached";
import { usePreferences } from "../preferences";
import type { Shown } from "../turn/conversation";
import type { Asking } from "./useAsking";
import { t } from "../language/t";

export interface QueuedQuestion {
  readonly key: string;
  readonly text: string;
  readonly attached: readonly Attached[];
}

export interface Queue {
  readonly waiting: readonly QueuedQuestion[];
  // Nothing is sent by itself after a turn that failed or was stopped, nor after a question that could not be sent.
  readonly halted: boolean;
  // What the field holds: into the queue while a turn runs and that is chosen, else at once.
  readonly send: () => void;
  readonly sendNext: () => void;
  readonly takeBack: (key: string) => void;
}

const KEY = "glassloop-queue";
const MAX_WAITING = 20;

type Waiting = Readonly<Record<string, readonly QueuedQuestion[]>>;

function load(): Waiting {
  try {
    return JSON.parse(window.sessionStorage.getItem(KEY) ?? "{}") as Waiting;
  } catch {
    return {};
  }
}

// Files stay in memory: they are larger than what a browser keeps for a tab.
function save(all: Waiting): void {
  const texts = Object.entries(all).map(([session, found]) => [session, found.filter((one) => !one.attached.length)]);
  try {
    window.sessionStorage.setItem(KEY, JSON.stringify(Object.fromEntries(texts)));
  } catch {
    // A browser that keeps nothing still has them until the page is left.
  }
}

let kept = load();
let made = 0;

export function useQueue(session: string | null, shown: Shown, state: string, asking: Asking): Queue {
  const [, setChanged] = useState(0);
  const [failed, setFailed] = useState(false);
  const busy = useRef(false);
  const { whileRunning } = usePreferences();
  const waiting = (session && kept[session]) || [];
  const last = shown.entries.at(-1);
  const isOver = last !== undefined && !last.live && last.turn.totals !== null;
  const halted = failed || (isOver && last.turn.status !== "completed");
  useEffect(() => setFailed(false), [session]);

  const put = (of: string, questions: readonly QueuedQuestion[]) => {
    kept = { ...kept, [of]: questions };
    save(kept);
    setChanged((now) => now + 1);
  };

  const sendNext = async () => {
    const [next, ...rest] = waiting;
    if (!session || !next || busy.current) return;
    busy.current = true;
    put(session, rest);
    const taken = await asking.ask(next.text, { queued: next.attached });
    busy.current = false;
    setFailed(!taken);
    if (!taken) put(session, [next, ...(kept[session] ?? [])]);
  };

  const ready = state === "idle" && isOver && !halted && !asking.sending;
  useEffect(() => {
    if (ready && waiting.length) void sendNext();
  }, [ready, waiting.length]);

  const send = () => {
    const text = asking.text.trim();
    const { attached } = asking.attachments;
    // A command, and a question with files, are not for the turn that runs.
    const next = whileRunning === "queue" || attached.length > 0 || text.startsWith("/");
    if (state !== "running" || !session || !text || !next || !asking.check(text)) return asking.send();
    if (waiting.length >= MAX_WAITING) return asking.setProblem(t("At most {0} questions can be queued.", MAX_WAITING));
    made += 1;
    put(session, [...waiting, { key: `${Date.now()}-${made}`, text, attached }]);
    asking.giveUp();
    asking.setProblem("");
  };

  const takeBack = (key: string) => {
    const found = waiting.find((one) => one.key === key);
    if (!session || !found) return;
    put(
      session,
      waiting.filter((one) => one !== found),
    );
    asking.putBack(found.text, found.attached);
  };

  return { waiting, halted, send, sendNext: () => void sendNext(), takeBack };
}
