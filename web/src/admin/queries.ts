import { queryOptions } from "@tanstack/react-query";
import { call, id } from "../api/client";
import type {
  AccessView,
  AuditEntry,
  DeadLetter,
  RunComparison,
  LiveTurn,
  PeriodFigures,
  ReviewedSession,
  StoredRun,
  RunView,
  StepRating,
  ToolOperation,
  ToolUseFigures,
  UserSpending,
  UsersView,
} from "../api/types";

export interface Filters {
  readonly q: string;
  readonly user_id: string;
  readonly assistant: string;
  readonly status: string;
  readonly rating: string;
  readonly days: number;
}

export const NO_FILTERS: Filters = { q: "", user_id: "", assistant: "", status: "", rating: "", days: 30 };
export const PAGE = 50;
const LIVE_MS = 5000;
const DAY_S = 86_400;

export const listQuery = (filters: Filters, page: number) =>
  queryOptions({
    queryKey: ["admin", "sessions", filters, page],
    queryFn: () => {
      const { days, ...rest } = filters;
      const given = Object.entries(rest).filter(([, value]) => value);
      const since: [string, string][] = days ? [["since", String(Math.floor(Date.now() / 1000) - days * DAY_S)]] : [];
      // One more than is shown, to know whether there is a next page.
      const query = new URLSearchParams([
        ...given,
        ...since,
        ["limit", String(PAGE + 1)],
        ["offset", String(page * PAGE)],
      ]);
      return call<readonly ReviewedSession[]>(`admin/sessions?${query}`);
    },
    placeholderData: (before: readonly ReviewedSession[] | undefined) => before,
  });

export const figuresQuery = (days: number) =>
  queryOptions({
    queryKey: ["admin", "figures", days],
    queryFn: () => call<PeriodFigures>(`admin/figures?days=${days}`),
    staleTime: 15_000,
  });

export const toolUseQuery = (days: number, assistant: string) =>
  queryOptions({
    queryKey: ["admin", "tools", days, assistant],
    queryFn: () => call<ToolUseFigures>(`admin/tools?${new URLSearchParams({ days: String(days), assistant })}`),
    placeholderData: (before: ToolUseFigures | undefined) => before,
    staleTime: 15_000,
  });

export const liveQuery = queryOptions({
  queryKey: ["admin", "live"],
  queryFn: () => call<readonly LiveTurn[]>("admin/live"),
  refetchInterval: LIVE_MS,
});

export const runsQuery = queryOptions({
  queryKey: ["admin", "evals"],
  queryFn: () => call<readonly StoredRun[]>("admin/evals"),
});

export const runQuery = (run: string) =>
  queryOptions({ queryKey: ["admin", "evals", run], queryFn: () => call<RunView>(`admin/evals/${id(run)}`) });

export const compareQuery = (before: string, after: string) =>
  queryOptions({
    queryKey: ["admin", "evals", "compare", before, after],
    queryFn: () => call<RunComparison>(`admin/evals/compare?before=${id(before)}&after=${id(after)}`),
  });

export const usersQuery = queryOptions({
  queryKey: ["admin", "users"],
  queryFn: () => call<UsersView>("admin/users"),
});

export const accessQuery = queryOptions({
  queryKey: ["admin", "access"],
  queryFn: () => call<AccessView>("admin/access"),
});

export const spendingQuery = queryOptions({
  queryKey: ["admin", "spending"],
  queryFn: () => call<readonly UserSpending[]>("admin/spending"),
});

export const auditQuery = (user: string, action: string, page: number) =>
  queryOptions({
    queryKey: ["admin", "audit", user, action, page],
    queryFn: () => {
      const query = new URLSearchParams({
        limit: String(PAGE + 1),
        offset: String(page * PAGE),
        user_id: user,
        action,
      });
      return call<readonly AuditEntry[]>(`admin/audit?${query}`);
    },
    placeholderData: (before: readonly AuditEntry[] | undefined) => before,
  });

export interface OperationFilters {
  readonly user_id: string;
  readonly session_id: string;
  readonly kind: string;
  readonly outcome: string;
}

export const operationsQuery = (filters: OperationFilters, page: number) =>
  queryOptions({
    queryKey: ["admin", "operations", filters, page],
    queryFn: () => {
      const given = Object.entries(filters).map(([name, value]: [string, string]) => [name, value.trim()]);
      const query = new URLSearchParams([...given, ["limit", String(PAGE + 1)], ["offset", String(page * PAGE)]]);
      return call<readonly ToolOperation[]>(`admin/audit/operations?${query}`);
    },
    placeholderData: (before: readonly ToolOperation[] | undefined) => before,
  });

export const deadLettersQuery = (page: number) =>
  queryOptions({
    queryKey: ["admin", "dead-letters", page],
    queryFn: () => call<readonly DeadLetter[]>(`admin/dead-letters?limit=${PAGE + 1}&offset=${page * PAGE}`),
    placeholderData: (before: readonly DeadLetter[] | undefined) => before,
  });

export const ratingsQuery = (session: string) =>
  queryOptions({
    queryKey: ["admin", "ratings", session],
    queryFn: () => call<readonly StepRating[]>(`admin/sessions/${id(session)}/ratings`),
  });
