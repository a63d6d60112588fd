// What assistants remember of a person, to see, change and delete.

import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import type { ActionResult, NoteView } from "../api/types";
import { t } from "../language/t";

const MOST_CHARS = 2000;
const notesQuery = queryOptions({ queryKey: ["notes"], queryFn: () => call<readonly NoteView[]>("api/notes") });

export function Memory(): ReactNode {
  const { data, error } = useQuery(notesQuery);
  return (
    <section aria-labelledby="memory-title">
      <h2 id="memory-title">{t("Memory")}</h2>
      <p className="hint">
        {t("What you asked assistants to remember. They see it in every conversation except temporary ones.")}
      </p>
      {error && <p className="problem">{messageOf(error)}</p>}
      {data?.length === 0 && <p className="hint">{t("Nothing yet.")}</p>}
      <ul className="cards">
        {data?.map((note) => (
          <Note key={note.id} note={note} />
        ))}
      </ul>
    </section>
  );
}

function Note({ note }: { note: NoteView }): ReactNode {
  const client = useQueryClient();
  const [text, setText] = useState<string | null>(null);
  const told = () => client.invalidateQueries({ queryKey: notesQuery.queryKey });
  const path = `api/notes/${id(String(note.id))}`;
  const change = useMutation({
    mutationFn: (words: string) => call<NoteView>(path, { text: words, topic: note.topic }, "PUT"),
    onSuccess: async () => {
      await told();
      setText(null);
    },
  });
  const remove = useMutation({
    mutationFn: () => call<ActionResult>(path, undefined, "DELETE"),
    onSuccess: told,
  });
  const problem = change.error ?? remove.error;
  return (
    <li className="note">
      {text === null ? (
        <p>{note.text}</p>
      ) : (
        <textarea
          aria-label={t("Text of the note")}
          autoFocus
          rows={3}
          maxLength={MOST_CHARS}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <p className="hint">
        {note.saved}
        {note.integrity !== "trusted" && t(", may come from someone else's text")}
      </p>
      {problem && (
        <p className="problem" role="alert">
          {messageOf(problem)}
        </p>
      )}
      {text === null ? (
        <>
          <button type="button" className="plain small" onClick={() => setText(note.text)}>
            {t("Edit")}
            <span className="unseen"> {note.text.slice(0, 60)}</span>
          </button>{" "}
          <button type="button" className="plain small" disabled={remove.isPending} onClick={() => remove.mutate()}>
            {t("Delete")}
            <span className="unseen"> {note.text.slice(0, 60)}</span>
          </button>
        </>
      ) : (
        <>
          <button
            type="button"
            className="plain small"
            disabled={!text.trim() || change.isPending}
            onClick={() => change.mutate(text.trim())}
          >
            {t("Save")}
          </button>{" "}
          <button type="button" className="plain small" onClick={() => setText(null)}>
            {t("Cancel")}
          </button>
        </>
      )}
    </li>
  );
}
