// The files of a collection: uploaded with progress, by a button or dropped; listed; removed.

import { useQuery } from "@tanstack/react-query";
import { useState, type DragEvent, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import type { CollectionView, FileView, Me } from "../api/types";
import { sizeOf } from "../attachments/attached";
import { FileImports } from "../imports/fileImports";
import { ImportButton, ImportList } from "../imports/ImportList";
import { count, exact, when } from "../turn/words";
import { COLLECTIONS, filesQuery, useChange } from "./queries";
import { t } from "../language/t";

interface Imported {
  readonly name: string;
  readonly passages: number;
}

const ACCEPTED = ".txt,.md,.html,.csv,.tsv,.pdf,.docx,.json,.py,.js,.ts,.java,.go,.rs,.c,.cpp,.sql,text/*";

// Uploads go on while one is elsewhere on the page.
const uploads = new Map<string, FileImports<Imported>>();

function uploadsOf(collection: string): FileImports<Imported> {
  const known = uploads.get(collection);
  if (known) return known;
  const path = `api/collections/${id(collection)}/files`;
  const made = new FileImports<Imported>({ purpose: "", path, job: "", unnamed: t("A file"), discards: true });
  uploads.set(collection, made);
  return made;
}

export function CollectionContents({ me, one }: { me: Me; one: CollectionView }): ReactNode {
  const { data, error } = useQuery(filesQuery(one.id));
  const [over, setOver] = useState(false);
  const files = uploadsOf(one.id);
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      event.preventDefault();
      files.begin([...event.dataTransfer.files]);
    },
  };
  return (
    <div className={over ? "collection-contents over" : "collection-contents"} {...(one.mine ? drop : {})}>
      {error && <p className="problem">{messageOf(error)}</p>}
      {one.mine && (
        <p className="choices">
          <ImportButton
            id={`upload-${one.name}`}
            label={t("Upload files")}
            files={t("Files for #{0}", one.name)}
            accept={ACCEPTED}
            begin={files.begin}
          />
          <span className="hint">{t("or drop them here: text, Markdown, PDF, DOCX, CSV, code")}</span>
        </p>
      )}
      <ImportList user={me.user} files={files} queryKey={COLLECTIONS}>
        {(result) => <p className="hint">{count(result.passages, "passage")}</p>}
      </ImportList>
      {data && !data.total && <p className="hint">{t("No files yet.")}</p>}
      {data && data.total > 0 && (
        <ul className="collection-files" aria-label={t("Files in #{0}", one.name)}>
          {data.files.map((file) => (
            <File key={file.name} one={one} file={file} />
          ))}
        </ul>
      )}
      {data && data.total > data.files.length && (
        <p className="hint">{t("{0} not shown.", count(data.total - data.files.length, "more file"))}</p>
      )}
    </div>
  );
}

function File({ one, file }: { one: CollectionView; file: FileView }): ReactNode {
  const remove = useChange(() => call(`api/collections/${id(one.id)}/files/${id(file.name)}`, undefined, "DELETE"));
  const facts = [
    sizeOf(file.size),
    count(file.passages, "passage"),
    ...(file.added_at ? [when(file.added_at)] : []),
    ...(file.added_by ? [`by ${exact(file.added_by)}`] : []),
  ];
  return (
    <li>
      <span className="collection-file-name">{exact(file.name)}</span>
      <span className="hint">{facts.join(" · ")}</span>
      {one.mine && (
        <button type="button" className="more" disabled={remove.isPending} onClick={() => remove.mutate(undefined)}>
          {t("Remove")}
          <span className="unseen">{` ${file.name}`}</span>
        </button>
      )}
      {remove.error && (
        <p className="problem" role="alert">
          {messageOf(remove.error)}
        </p>
      )}
    </li>
  );
}
