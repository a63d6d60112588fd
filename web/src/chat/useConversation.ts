// One conversation as the page uses it: opened by its address, asked, stopped, kept in step with other tabs.

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { ApiError, call, id, messageOf } from "../api/client";
import type { AnyEvent } from "../api/events";
import { LOOK_MS, sessionOf } from "../api/queries";
import type { ActionResult, MessageTaken, Session, SessionView, AcceptedTurn } from "../api/types";
import { preferences } from "../preferences";
import { go, sessionLink } from "../route";
import { Conversation, type SentMessage, type Shown } from "../turn/conversation";
import { openQuestion } from "../turn/fold";
import { shorten } from "../turn/words";
import { callAttention } from "./attention";
import { bodyOf, type Asked } from "./newTurn";
import { beginTemporary, noteOpened } from "./temporary";
import { t } from "../language/t";

const STANDS = new Set(["turn_started", "turn_paused", "turn_resumed", "turn_finished"]);
const TITLE_CHARS = 80;

export interface Held {
  readonly shown: Shown;
  readonly conversation: Conversation;
  readonly opened: Session | null;
  readonly title: string;
  readonly ratings: SessionView["ratings"];
  readonly failure: ApiError | null;
  readonly ask: (asked: Asked) => Promise<void>;
  readonly steer: (text: string) => Promise<void>;
  // Takes back what the turn has not read; whether it could.
  readonly withdraw: (turn: string, message: SentMessage) => Promise<boolean>;
  readonly answer: (text: string) => Promise<void>;
  readonly stop: () => Promise<void>;
  readonly catchUp: () => Promise<void>;
  readonly tellOthers: () => void;
}

export function useConversation(
  session: string | null,
  onHeard: (event: AnyEvent) => void,
  onRefused: (error: ApiError) => void,
): Held {
  const client = useQueryClient();
  const [conversation] = useState(() => new Conversation());
  const shown = useSyncExternalStore(conversation.subscribe, conversation.read);
  const [opened, setOpened] = useState<Session | null>(null);
  const [title, setTitle] = useState(t("New chat"));
  const [ratings, setRatings] = useState<SessionView["ratings"]>({});
  const [failure, setFailure] = useState<ApiError | null>(null);
  const others = useRef<BroadcastChannel | null>(null);
  const told = useRef({ onHeard, onRefused });
  told.current = { onHeard, onRefused };

  const refreshList = useCallback(() => client.invalidateQueries({ queryKey: ["sessions"] }), [client]);

  useEffect(() => {
    conversation.onEvent = (event) => {
      told.current.onHeard(event);
      callAttention(event);
      if (STANDS.has(event.type)) void refreshList();
    };
    conversation.onRefused = (error) => told.current.onRefused(error);
  }, [conversation, refreshList]);

  useEffect(() => {
    if (session === conversation.session && (session || !conversation.read().entries.length)) return;
    conversation.clear(session);
    setFailure(null);
    setOpened(null);
    setRatings({});
    setTitle(session ? "" : t("New chat"));
    if (!session) return;
    sessionOf(session).then(
      (found) => {
        if (conversation.session !== session) return;
        setOpened(found.session);
        noteOpened(found.session);
        setRatings(found.ratings);
        setTitle(found.session.title || t("Untitled"));
        conversation.show(found.turns);
      },
      (error: unknown) => {
        if (conversation.session !== session || !(error instanceof ApiError)) return;
        if (error.status === 401) told.current.onRefused(error);
        else {
          setFailure(error);
          setTitle(t("Not found"));
        }
      },
    );
  }, [session, conversation]);

  useEffect(() => {
    document.title = title && title !== t("New chat") ? `${title.slice(0, 60)} · Glassloop` : "Glassloop";
  }, [title]);

  // Something may have happened elsewhere: in another tab, or while nobody looked.
  const catchUp = useCallback(async () => {
    if (document.hidden) return;
    const wanted = conversation.session;
    try {
      await refreshList();
      if (!wanted) return;
      const found = await sessionOf(wanted);
      if (wanted !== conversation.session) return;
      setOpened(found.session);
      setRatings(found.ratings);
      if (found.session.title) setTitle(found.session.title);
      conversation.catchUp(found.turns);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) told.current.onRefused(error);
    }
  }, [conversation, refreshList]);

  useEffect(() => {
    const channel = new BroadcastChannel("glassloop");
    others.current = channel;
    channel.onmessage = () => void catchUp();
    const looked = () => {
      conversation.visibilityChanged(!document.hidden || preferences().notify);
      void catchUp();
    };
    document.addEventListener("visibilitychange", looked);
    const timer = window.setInterval(() => void catchUp(), LOOK_MS);
    return () => {
      channel.close();
      document.removeEventListener("visibilitychange", looked);
      window.clearInterval(timer);
    };
  }, [catchUp, conversation]);

  // React runs effects twice while developing: only a page that is really left lets its streams go.
  useEffect(() => () => conversation.clear(conversation.session), [conversation]);

  const tellOthers = useCallback(() => others.current?.postMessage("changed"), []);

  const ask = useCallback(
    async (asked: Asked) => {
      const { question } = asked;
      const before = conversation.session;
      const session = before ?? (await beginTemporary());
      const taken = await call<AcceptedTurn>("api/turns", bodyOf(asked, session, conversation.leaf));
      if (conversation.session !== before) return;
      if (!before) setTitle(shorten(question, TITLE_CHARS));
      conversation.session = taken.session_id;
      const version = asked.replaces ?? asked.continues;
      const after = version === undefined ? conversation.leaf : conversation.before(version);
      conversation.add({ id: taken.turn_id, question, status: "running" }, after);
      go(sessionLink(taken.session_id));
      tellOthers();
    },
    [conversation, tellOthers],
  );

  // Into the turn that runs: the model is told before its next step.
  const steer = useCallback(
    async (text: string) => {
      const { open } = conversation;
      if (!open) return;
      const { number } = await call<MessageTaken>(`api/turns/${id(open.id)}/messages`, { text });
      conversation.steered(open.id, { number, text });
      tellOthers();
    },
    [conversation, tellOthers],
  );

  const withdraw = useCallback(
    async (turn: string, message: SentMessage) => {
      const path = `api/turns/${id(turn)}/messages/${message.number}`;
      const { done } = await call<ActionResult>(path, undefined, "DELETE");
      if (done) conversation.withdrawn(turn, message.number);
      tellOthers();
      return done;
    },
    [conversation, tellOthers],
  );

  // To what the assistant asks.
  const answer = useCallback(
    async (text: string) => {
      const { open } = conversation;
      const question = open && openQuestion(open);
      if (!question) return;
      await call(`api/turns/${id(open.id)}/answers`, { call_id: question.asked.call_id, text });
      tellOthers();
    },
    [conversation, tellOthers],
  );

  const stop = useCallback(async () => {
    const { open } = conversation;
    if (!open) return;
    try {
      await call(`api/turns/${id(open.id)}/cancel`, {});
      tellOthers();
    } catch (error) {
      throw new Error(t("It could not be stopped. {0}", messageOf(error)));
    }
  }, [conversation, tellOthers]);

  const deeds = { ask, steer, withdraw, answer, stop, catchUp, tellOthers };
  return { shown, conversation, opened, title, ratings, failure, ...deeds };
}
