// Turns and jobs that were set aside because their process ended in their work: tried again, or dropped.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, id, messageOf, ROOT } from "../api/client";
import type { DeadLetter, Retried } from "../api/types";
import { replayLink } from "../route";
import { when } from "../turn/words";
import { deadLettersQuery, PAGE } from "./queries";
import { t } from "../language/t";

const path = (letter: DeadLetter): string => `admin/dead-letters/${letter.kind}/${id(letter.id)}`;

export function DeadLetters(): ReactNode {
  const client = useQueryClient();
  const [page, setPage] = useState(0);
  const { data = [], error, isPending } = useQuery(deadLettersQuery(page));
  // Also after a refusal: somebody else may have been first.
  const onSettled = () => client.invalidateQueries({ queryKey: ["admin", "dead-letters"] });
  const retry = useMutation({
    mutationFn: (letter: DeadLetter) => call<Retried>(`${path(letter)}/retry`, {}),
    onSettled,
  });
  const drop = useMutation({ mutationFn: (letter: DeadLetter) => call(path(letter), undefined, "DELETE"), onSettled });
  const problem = error ?? retry.error ?? drop.error;
  const busy = retry.isPending || drop.isPending;
  return (
    <div className="admin-page">
      <h2>{t("Dead letters")}</h2>
      <p className="hint">
        {t("Turns and jobs whose process crashed twice while working on them. They have failed; other work continued.")}
      </p>
      {problem && (
        <p className="problem" role="alert">
          {messageOf(problem)}
        </p>
      )}
      <p className="hint" role="status">
        {retry.data && <Again again={retry.data} />}
      </p>
      {data.length > 0 && (
        <Letters
          letters={data.slice(0, PAGE)}
          busy={busy}
          onRetry={(letter) => {
            drop.reset();
            retry.mutate(letter);
          }}
          onDrop={(letter) => {
            retry.reset();
            drop.mutate(letter);
          }}
        />
      )}
      {!isPending && !error && !data.length && <p className="hint">{t("No dead letters.")}</p>}
      <nav className="pager" aria-label={t("Pages")} hidden={page === 0 && data.length <= PAGE}>
        <button type="button" className="plain small" disabled={page === 0} onClick={() => setPage(page - 1)}>
          {t("Newer")}
        </button>
        <button type="button" className="plain small" disabled={data.length <= PAGE} onClick={() => setPage(page + 1)}>
          {t("Older")}
        </button>
      </nav>
    </div>
  );
}

function Again({ again }: { again: Retried }): ReactNode {
  if (again.kind === "job") return <>{t("Restarted as job {0}.", again.id)}</>;
  return (
    <>
      {t("Asked again: ")}
      <a className="more" href={`${ROOT}${replayLink(again.id)}`}>
        {t("open the new turn")}
      </a>
    </>
  );
}

interface LettersProps {
  readonly letters: readonly DeadLetter[];
  readonly busy: boolean;
  readonly onRetry: (letter: DeadLetter) => void;
  readonly onDrop: (letter: DeadLetter) => void;
}

function Letters({ letters, busy, onRetry, onDrop }: LettersProps): ReactNode {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t("Dead letters")}>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">{t("When")}</th>
            <th scope="col">{t("Whose")}</th>
            <th scope="col">{t("What")}</th>
            <th scope="col">{t("Reason")}</th>
            <th scope="col">
              <span className="unseen">{t("Actions")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {letters.map((letter) => {
            const name = `${letter.kind} ${letter.id}`;
            return (
              <tr key={name}>
                <td>{when(letter.at)}</td>
                <td>{letter.user_id}</td>
                <td>
                  {`${letter.kind} · ${letter.subject} `}
                  {letter.kind === "turn" ? (
                    <a className="more" href={`${ROOT}${replayLink(letter.id)}`} aria-label={t("Open {0}", name)}>
                      {t("open")}
                    </a>
                  ) : (
                    <code>{letter.id.slice(0, 8)}</code>
                  )}
                </td>
                <td>{letter.reason}</td>
                <td>
                  <button
                    type="button"
                    className="plain small"
                    disabled={busy}
                    aria-label={t("Try again: {0}", name)}
                    onClick={() => onRetry(letter)}
                  >
                    {t("Try again")}
                  </button>{" "}
                  <button
                    type="button"
                    className="plain small"
                    disabled={busy}
                    aria-label={t("Discard: {0}", name)}
                    onClick={() => onDrop(letter)}
                  >
                    {t("Discard")}
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
