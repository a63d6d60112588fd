// Everything by its name, and what was said by its words: Ctrl-K.

import { useQuery } from "@tanstack/react-query";
import { useState, type KeyboardEvent, type ReactNode } from "react";
import { ROOT } from "../api/client";
import { sessionsQuery } from "../api/queries";
import type { AssistantView, Me } from "../api/types";
import { featurePages } from "../features/features";
import { prefer } from "../preferences";
import { go, sessionLink } from "../route";
import { dayOf, nameOf } from "../turn/words";
import { Dialog } from "../ui/Dialog";
import { Marked } from "../ui/Marked";
import { seek } from "./useJump";
import { usePassages } from "./usePassages";
import { t } from "../language/t";

const SHOWN = 12;
const NAMED = 6;

interface Item {
  readonly name: string;
  readonly kind: string;
  readonly passage?: string;
  readonly run: () => void;
}

interface Props {
  readonly me: Me;
  readonly assistants: readonly AssistantView[];
  readonly onClose: () => void;
  readonly onAssistant: (name: string) => void;
  readonly onNew: () => void;
}

export function Palette({ me, assistants, onClose, onAssistant, onNew }: Props): ReactNode {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const { data: sessions = [] } = useQuery(sessionsQuery(50, ""));
  const all: readonly Item[] = [
    { name: t("New chat"), kind: "", run: onNew },
    ...assistants.map((one) => ({
      name: t("Ask {0}", nameOf(one.name)),
      kind: "assistant",
      run: () => onAssistant(one.name),
    })),
    { name: t("Settings"), kind: "page", run: () => go("#/settings") },
    { name: t("Inbox and schedules"), kind: "page", run: () => go("#/inbox") },
    ...featurePages(me).map(([name, title]) => ({ name: title, kind: "page", run: () => go(`#/${name}`) })),
    { name: t("Admin"), kind: "page", run: () => window.location.assign(`${ROOT}admin`) },
    { name: t("Light theme"), kind: "theme", run: () => prefer({ theme: "light" }) },
    { name: t("Dark theme"), kind: "theme", run: () => prefer({ theme: "dark" }) },
    { name: t("System theme"), kind: "theme", run: () => prefer({ theme: "auto" }) },
    ...sessions.map((one) => ({
      name: one.title || t("Untitled"),
      kind: "conversation",
      run: () => go(sessionLink(one.id)),
    })),
  ];
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const passages = usePassages(words);
  const said: readonly Item[] = passages.found.map((one) => ({
    name: one.title || t("Untitled"),
    kind: dayOf(one.at),
    // Without the marks of Markdown.
    passage: one.passage.replace(/[*_`#|]+/g, " "),
    run: () => {
      seek(wanted);
      go(sessionLink(one.session_id, one.turn_id));
    },
  }));
  const named = all.filter((one) => wanted.every((word) => one.name.toLowerCase().includes(word)));
  const found = [...named.slice(0, said.length ? NAMED : SHOWN), ...said];
  const choose = (place: number) => {
    onClose();
    found[place]?.run();
  };
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(found.length - 1, at + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(at);
    }
  };
  return (
    <Dialog label={t("Go to")} onClose={onClose} className="palette">
      <input
        type="text"
        role="combobox"
        aria-label={t("Go to")}
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={`palette-${at}`}
        placeholder={t("Search conversations, assistants, pages…")}
        value={words}
        autoFocus
        onChange={(event) => {
          setWords(event.target.value);
          setAt(0);
        }}
        onKeyDown={key}
      />
      <ul id="palette-list" role="listbox" aria-label={t("Found")}>
        {found.map((one, place) => (
          <li
            key={`${one.kind} ${one.name} ${place}`}
            id={`palette-${place}`}
            role="option"
            aria-selected={place === at}
            onClick={() => choose(place)}
            onMouseMove={() => setAt(place)}
          >
            <span>
              {one.name}
              {one.passage && (
                <span className="passage">
                  <Marked text={one.passage} words={wanted} />
                </span>
              )}
            </span>
            <span className="hint">{one.kind}</span>
          </li>
        ))}
      </ul>
      {!found.length && <p className="hint">{passages.searching ? t("Searching…") : t("No matches")}</p>}
    </Dialog>
  );
}
