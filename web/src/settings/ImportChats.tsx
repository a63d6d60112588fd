// Conversations of other chats, imported from their export files.

import type { ReactNode } from "react";
import type { Me } from "../api/types";
import { FileImports } from "../imports/fileImports";
import { ImportButton, ImportList } from "../imports/ImportList";
import { count } from "../turn/words";

interface Report {
  readonly imported: number;
  readonly turns: number;
  readonly present: number;
  readonly unreadable: number;
}

const files = new FileImports<Report>({
  purpose: "",
  path: "api/sessions/import",
  job: "conversations_import",
  unnamed: "An export",
});

export function ImportChats({ me }: { me: Me }): ReactNode {
  return (
    <section aria-labelledby="import-title">
      <h2 id="import-title">Import conversations</h2>
      <p className="hint">
        From ChatGPT (the zip of its data export, or conversations.json in it) or Open WebUI (its JSON export). Edited
        questions and other versions of answers are kept; images and files aren't part of these exports.
      </p>
      <p>
        <ImportButton
          id="chat-files"
          label="Choose files"
          files="Exports of conversations"
          accept=".json,.zip,application/json,application/zip"
          begin={files.begin}
        />
      </p>
      <ImportList user={me.user} files={files} queryKey="sessions">
        {(report) => (
          <p className="hint">
            {count(report.imported, "conversation")} with {count(report.turns, "question")}
            {report.present > 0 && `, ${report.present} already here`}
            {report.unreadable > 0 && `, ${report.unreadable} that could not be read`}
          </p>
        )}
      </ImportList>
    </section>
  );
}
