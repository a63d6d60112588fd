// What the page asks the server about raids.

import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call, id } from "../../api/client";
import { LOOK_MS } from "../../api/queries";
import type { CharacterRow, RaidFight, RaidPlayerFight, RaidReport, ReportRow } from "../../api/types";

const KEPT_MS = 10_000;

export const reportsQuery = queryOptions({
  queryKey: ["raids", "reports"],
  queryFn: () => call<readonly ReportRow[]>("api/raids/reports"),
  refetchInterval: LOOK_MS,
});

export const reportQuery = (code: string) =>
  queryOptions({
    queryKey: ["raids", "report", code],
    queryFn: () => call<RaidReport>(`api/raids/reports/${id(code)}`),
    staleTime: KEPT_MS,
  });

export const fightQuery = (code: string, number: number) =>
  queryOptions({
    queryKey: ["raids", "fight", code, number],
    queryFn: () => call<RaidFight>(`api/raids/reports/${id(code)}/fights/${number}`),
    staleTime: KEPT_MS,
  });

export const playerQuery = (code: string, number: number, name: string) =>
  queryOptions({
    queryKey: ["raids", "player", code, number, name],
    queryFn: () => call<RaidPlayerFight>(`api/raids/reports/${id(code)}/fights/${number}/players/${id(name)}`),
    staleTime: KEPT_MS,
  });

export const charactersQuery = queryOptions({
  queryKey: ["raids", "characters"],
  queryFn: () => call<readonly CharacterRow[]>("api/raids/characters"),
});

export const addCharacter = (given: {
  readonly name: string;
  readonly realm: string;
  readonly class: string;
  readonly spec: string;
}): Promise<CharacterRow> => call<CharacterRow>("api/raids/characters", given);

// Changes something, then asks for all of it again.
export function useChange<T>(change: (given: T) => Promise<unknown>, done?: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: async () => {
      done?.();
      await client.invalidateQueries({ queryKey: ["raids"] });
    },
  });
}
