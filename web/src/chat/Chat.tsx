// The page people live in: the side, the conversation, the field to ask in, and the trace beside it.

import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { assistantsQuery } from "../api/queries";
import type { Me } from "../api/types";
import { Grants } from "../approval/Grants";
import { CollectionPicker } from "../knowledge/CollectionPicker";
import { useChosenCollections } from "../knowledge/chosen";
import { FileOpening } from "../markdown/fileLinks";
import { asOptions, useModelChoice } from "../models/choice";
import { go, type Draft } from "../route";
import { Trace, type TraceHandle } from "../trace/Trace";
import { openQuestion } from "../turn/fold";
import { useLighting } from "../turn/lit";
import type { Turn } from "../turn/model";
import { Announcer, useAnnounce } from "./Announcer";
import { Composer } from "./Composer";
import { Frame } from "./Frame";
import { Palette } from "./Palette";
import { Queued } from "./Queued";
import { Scrolled } from "./Scrolled";
import { Sidebar } from "./Sidebar";
import { Turns } from "./Turns";
import { useAsking } from "./useAsking";
import { useAssistantParts } from "./useAssistantParts";
import { useConversation } from "./useConversation";
import { useDraft } from "./useDraft";
import { useEnd } from "./useEnd";
import { useFeatureDrops } from "./useFeatureDrops";
import { useJump } from "./useJump";
import { useKeys } from "./useKeys";
import { useQueue } from "./useQueue";
import { useTracePanel } from "./useTracePanel";
import { useTurnActions } from "./useTurnActions";
import { useWide } from "./useWide";

interface Props {
  readonly session: string | null;
  // Which turn to go to.
  readonly turn: string | null;
  readonly draft: Draft | null;
  readonly me: Me;
  readonly onLeave: () => void;
  readonly onRefused: () => void;
}

export function Chat({ session, turn, draft, me, onLeave, onRefused }: Props): ReactNode {
  const { said, announce } = useAnnounce();
  const held = useConversation(session, announce, onRefused);
  const { shown, opened, conversation } = held;
  const { data: assistants = [] } = useQuery(assistantsQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  const [drawer, setDrawer] = useState(false);
  const [palette, setPalette] = useState(false);
  const [active, setActive] = useState<string | null>(null);
  const light = useLighting();
  const [stepLit, setStepLit] = useState<string | null>(null);
  const begun = useRef(false);
  const panel = useRef<TraceHandle>(null);
  const wide = useWide();
  const end = useEnd(session);
  useFeatureDrops(me);
  useJump(turn, conversation, shown, end.leave);

  const known = (name: string | null | undefined): name is string => assistants.some((one) => one.name === name);
  const first = (assistants.find((one) => one.default) ?? assistants[0])?.name ?? "";
  const assistant = [chosen, shown.entries.at(-1)?.turn.assistant, opened?.assistant].find(known) ?? first;
  const open = shown.entries.findLast((one) => one.live)?.turn ?? null;
  const waits = open && openQuestion(open) ? "asked" : "paused";
  const state = !open ? "idle" : open.status === "paused" ? waits : "running";
  const beside = shown.entries.find((one) => one.turn.id === active) ?? shown.entries.at(-1);
  const newest = shown.entries.at(-1)?.turn.id;
  const column = useTracePanel(beside, wide);
  const parts = useAssistantParts({ me, assistant, session, entries: shown.entries });
  const model = useModelChoice(session, shown.entries);
  const chosenCollections = useChosenCollections(session);
  const asking = useAsking({
    ...{ held, assistant },
    options: { ...parts.options, ...asOptions(model.chosen), ...chosenCollections.options },
    onTaken: () => {
      begun.current = session === null;
      end.toEnd();
    },
    onRefused,
  });
  const { text, setText, problem, setProblem, sending, ask, stop, put, again, giveUp, takeBack } = asking;
  const queue = useQueue(session, shown, state, asking);

  useEffect(() => setActive(null), [newest, session]);
  useEffect(() => {
    // A conversation that was only now begun goes on with whom it was begun with.
    if (!begun.current) setChosen(null);
    begun.current = false;
    setProblem("");
    setDrawer(false);
  }, [session]);

  // After the effect above, which forgets what was chosen.
  useDraft(draft, (given) => {
    setChosen(given.assistant);
    put(given.question);
  });

  const newChat = () => {
    setDrawer(false);
    go("#/");
    document.getElementById("question")?.focus();
  };

  const actions = useTurnActions(held, asking);
  const recall = (last: Turn | undefined) => last?.totals && actions.edit(last);
  const show = useCallback((turn: string, row: string | null) => {
    setActive(turn);
    column.showFor(turn);
    if (row) window.setTimeout(() => panel.current?.show(row), 0);
  }, []);

  useKeys({
    palette: () => setPalette(true),
    slash: () => put("/"),
    escape: () => {
      if (drawer) setDrawer(false);
      else if (takeBack()) return;
      else if (again) giveUp();
      // What waits for a decision is not stopped by a key that one may press in passing.
      else if (conversation.open?.status === "running") void stop();
    },
  });

  const side = (
    <Sidebar
      {...{ me, assistants, assistant, session }}
      onChoose={(name) => {
        setChosen(name);
        if (session && name !== assistant) {
          // A conversation stays with whom it was begun with: another one begins another.
          begun.current = true;
          go("#/");
        }
      }}
      onNew={newChat}
      onLeave={onLeave}
      onClose={() => setDrawer(false)}
    />
  );
  const trace = column.open && beside && (
    <Trace key={beside.turn.id} {...beside} lit={light.lit} onStep={setStepLit} handle={panel} onHide={column.hide} />
  );
  return (
    <Frame
      side={side}
      trace={trace || null}
      onTrace={wide && beside && !trace ? column.show : null}
      growing={Boolean(beside?.live)}
      title={held.title}
      drawer={drawer}
      onDrawer={setDrawer}
    >
      <Scrolled end={end} filled={shown.entries.length > 0}>
        <FileOpening value={parts.openFile}>
          <Turns
            {...{ held, session, assistant, assistants, wide, light, stepLit, actions }}
            beside={trace ? beside : undefined}
            onStep={setStepLit}
            onShow={show}
            onAsk={(question) => void ask(question)}
            onNew={newChat}
          />
        </FileOpening>
        <Queued queue={queue} />
        {parts.panel}
        {session && <Grants session={session} />}
      </Scrolled>
      <Composer
        {...{ state, text, sending, problem, assistant, model, again: again !== null, ...asking.attachments }}
        hidden={held.failure !== null}
        bar={
          <>
            {parts.bar}
            <CollectionPicker chosen={chosenCollections} text={text} onText={setText} />
          </>
        }
        onRecall={() => recall(shown.entries.at(-1)?.turn)}
        onGiveUp={giveUp}
        onText={setText}
        onSend={queue.send}
        onStop={() => void stop()}
      />
      <Announcer said={said} />
      {palette && (
        <Palette {...{ me, assistants }} onClose={() => setPalette(false)} onAssistant={setChosen} onNew={newChat} />
      )}
    </Frame>
  );
}
