// Conversations of other chats, imported from their export files.

import type { ReactNode } from "react";
import type { Me } from "../api/types";
import { FileImports } from "../imports/fileImports";
import { ImportButton, ImportList } from "../imports/ImportList";
import { count } from "../turn/words";
import { t } from "../language/t";

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
  unnamed: t("An export"),
});

export function ImportChats({ me }: { me: Me }): ReactNode {
  return (
    <section aria-labelledby="import-title">
      <h2 id="import-title">{t("Import conversations")}</h2>
      <p className="hint">
        {t(
          "From ChatGPT (the zip of its data export, or the conversations.json in it) or Open WebUI (its JSON export). Edited questions and other versions of answers are kept; images and files are not part of these exports.",
        )}
      </p>
      <p>
        <ImportButton
          id="chat-files"
          label={t("Choose files")}
          files="Exports of conversations"
          accept=".json,.zip,application/json,application/zip"
          begin={files.begin}
        />
      </p>
      <ImportList user={me.user} files={files} queryKey="sessions">
        {(report) => (
          <p className="hint">
            {count(report.imported, "conversation")}
            {t(" with ")}
            {count(report.turns, "question")}
            {report.present > 0 && t(", {0} already imported", report.present)}
            {report.unreadable > 0 && t(", {0} unreadable", report.unreadable)}
          </p>
        )}
      </ImportList>
    </section>
  );
}
