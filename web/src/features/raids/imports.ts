// Combat logs on their way.

import { FileImports } from "../../imports/fileImports";
import { t } from "../../language/t";

export interface ImportedLog {
  readonly code: string;
  readonly title: string;
  readonly fights: number;
  readonly kills: number;
  readonly lines: number;
  readonly taken: number;
  readonly bad: number;
  readonly outside: number;
  readonly notes: readonly string[];
}

export const logs = new FileImports<ImportedLog>({
  purpose: "raids",
  path: "api/raids/imports",
  job: "raids_import",
  unnamed: t("A combat log"),
});
