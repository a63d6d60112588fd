// Files of places and visits on their way, and what the page asks the server about the data.

import { queryOptions } from "@tanstack/react-query";
import { call } from "../../api/client";
import type { ActionResult, PlacesDataSet } from "../../api/types";
import { FileImports } from "../../imports/fileImports";
import { t } from "../../language/t";

export interface RowProblem {
  readonly line: number;
  readonly reason: string;
  readonly value: string;
}

export interface ImportReport {
  readonly file: string;
  readonly layout: string;
  readonly read: number;
  readonly taken: number;
  readonly skipped: number;
  readonly duplicates: number;
  readonly updated: number;
  readonly reasons: Readonly<Record<string, number>>;
  readonly problems: readonly RowProblem[];
  readonly unknown_columns: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
  readonly same: boolean;
}

export const placesLink = "#/places";

export const files = new FileImports<ImportReport>({
  purpose: "places",
  path: "api/places/imports",
  job: "places_import",
  unnamed: t("A places file"),
});

export const dataSetQuery = queryOptions({
  queryKey: ["places", "data-set"],
  queryFn: () => call<PlacesDataSet | null>("api/places/data-set"),
});

export const deleteData = (): Promise<ActionResult> => call<ActionResult>("api/places/data-set", undefined, "DELETE");
