// What the chosen assistant brings to the chat beside its answers, loaded when it is chosen.

import { Suspense, useCallback, useEffect, useState, type ReactNode } from "react";
import type { Me } from "../api/types";
import { assistantParts, type OpenedFile, type TurnOptions } from "../features/features";
import type { OpenFile } from "../markdown/fileLinks";
import type { Entry } from "../turn/conversation";

interface Given {
  readonly me: Me;
  readonly assistant: string;
  readonly session: string | null;
  readonly entries: readonly Entry[];
}

interface Parts {
  readonly options: TurnOptions;
  // Where paths in answers can be opened.
  readonly openFile: OpenFile | null;
  readonly bar: ReactNode;
  readonly panel: ReactNode;
}

export function useAssistantParts({ me, assistant, session, entries }: Given): Parts {
  const [options, setOptions] = useState<TurnOptions>({});
  const [opened, setOpened] = useState<OpenedFile | null>(null);
  const { Bar, Panel } = assistantParts(me, assistant);
  // A session keeps what was sent with its questions.
  useEffect(() => setOptions({}), [session, assistant]);
  useEffect(() => setOpened(null), [session]);
  const openFile = useCallback<OpenFile>((path, line) => setOpened({ path, line }), []);
  return {
    options: Bar ? options : {},
    openFile: Panel && session ? openFile : null,
    bar: Bar && (
      <Suspense>
        <Bar {...{ session, options }} onOptions={setOptions} />
      </Suspense>
    ),
    panel: Panel && session && (
      <Suspense>
        <Panel
          {...{ session, opened }}
          version={versionOf(entries)}
          busy={entries.some((entry) => entry.live)}
          onClose={() => setOpened(null)}
        />
      </Suspense>
    ),
  };
}

// What reads changes nothing, and is not counted.
const versionOf = (entries: readonly Entry[]): string =>
  entries
    .map(({ turn }) => {
      const acted = turn.rows.filter((row) => row.kind === "act" && row.result && row.effect !== "read");
      return `${turn.id}:${acted.length}`;
    })
    .join(" ");
