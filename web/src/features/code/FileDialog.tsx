// A file of the workspace to look at, at a line. Nothing can be changed here.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, type ReactNode } from "react";
import { messageOf } from "../../api/client";
import { languageOf, useColours } from "../../markdown/colours";
import { exact } from "../../turn/words";
import { Dialog } from "../../ui/Dialog";
import type { OpenedFile } from "../features";
import { fileQuery } from "./queries";
import { t } from "../../language/t";

const MOST_LINES = 5_000;

interface Props {
  readonly session: string;
  readonly opened: OpenedFile;
  readonly version: string;
  readonly onClose: () => void;
}

export function FileDialog({ session, opened, version, onClose }: Props): ReactNode {
  const { path, line } = opened;
  const { data, error } = useQuery(fileQuery(session, path, version));
  return (
    <Dialog label={t("File {0}", exact(path))} className="file-dialog" onClose={onClose}>
      <header>
        <h2>
          <code>{exact(data?.path ?? path)}</code>
        </h2>
        <button type="button" className="plain small" onClick={onClose}>
          {t("Close")}
        </button>
      </header>
      {error && (
        <p className="problem" role="alert">
          {messageOf(error)}
        </p>
      )}
      {data && <FileLines text={data.text} path={data.path} line={line} />}
    </Dialog>
  );
}

function FileLines({ text, path, line }: { text: string; path: string; line: number | null }): ReactNode {
  const all = text.replace(/\n$/, "").split(/\r?\n/);
  // Around the line that is wanted, where it is a very long file.
  const first = line && line > MOST_LINES ? line - MOST_LINES / 2 : 1;
  const shown = all.slice(first - 1, first - 1 + MOST_LINES);
  const colours = useColours(text.replace(/\r\n/g, "\n"), languageOf(path));
  const wanted = useRef<HTMLDivElement>(null);
  useEffect(() => wanted.current?.scrollIntoView({ block: "center" }), []);
  return (
    <div className="diff unified file-lines" tabIndex={0} role="region" aria-label={t("Lines")} data-first>
      {shown.map((content, place) => {
        const number = first + place;
        const pieces = colours?.[number - 1];
        const fits = pieces?.map((piece) => piece.text).join("") === content;
        return (
          <div
            key={number}
            ref={number === line ? wanted : undefined}
            className={number === line ? "diff-line wanted" : "diff-line"}
            aria-current={number === line ? "location" : undefined}
          >
            <span className="diff-number" aria-hidden="true">
              {number}
            </span>
            <span className="diff-text">
              {fits && pieces
                ? pieces.map((piece, at) => (
                    <span key={at} className={piece.className || undefined}>
                      {exact(piece.text)}
                    </span>
                  ))
                : exact(content)}
            </span>
          </div>
        );
      })}
      {shown.length < all.length && <p className="file-note">{t("{0} lines; not all are shown.", all.length)}</p>}
    </div>
  );
}
