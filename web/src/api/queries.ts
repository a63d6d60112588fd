// What the page asks for again and again, by name.

import { queryOptions, useQuery } from "@tanstack/react-query";
import { ApiError, call, id, trust } from "./client";
import type {
  AssistantView,
  AvailableModels,
  Grant,
  Models,
  ProviderConnection,
  RunningSessions,
  Session,
  SessionFolder,
  SessionView,
  ToolView,
  Visitor,
  WeightsView,
} from "./types";
import { t } from "../language/t";

export const LOOK_MS = 20_000;
const DOWNLOAD_MS = 1500;
const RUNNING_MS = 5000;

export const isDownloading = ({ job }: WeightsView): boolean => job?.status === "queued" || job?.status === "running";

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: async () => {
    const { me } = await call<Visitor>("api/visitor");
    if (!me) throw new ApiError(401, t("Nobody is signed in."));
    trust(me.csrf_token);
    return me;
  },
  staleTime: Infinity,
});

export const assistantsQuery = queryOptions({
  queryKey: ["assistants"],
  queryFn: () => call<readonly AssistantView[]>("api/assistants"),
  staleTime: 60_000,
});

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: () => call<Models>("api/models"),
  staleTime: 60_000,
  // A download is looked at while it runs, wherever it is shown.
  refetchInterval: (query) => (query.state.data?.weights.some(isDownloading) ? DOWNLOAD_MS : false),
});

// What one can choose from, as the providers list it; below "models", so that what changes those has it asked anew.
export const availableQuery = queryOptions({
  queryKey: ["models", "available"],
  queryFn: () => call<AvailableModels>("api/models/available"),
  staleTime: 60_000,
});

export const connectionsQuery = queryOptions({
  queryKey: ["models", "connections"],
  queryFn: () => call<readonly ProviderConnection[]>("api/connections"),
  staleTime: 60_000,
});

// The model that needs no language model, where there is one. What it counts as tokens costs nothing and says nothing.
export const useRules = (): string | null =>
  useQuery(modelsQuery).data?.providers.find((one) => !one.language_model)?.model ?? null;

export const toolsQuery = (assistant: string) =>
  queryOptions({
    queryKey: ["tools", assistant],
    queryFn: () => call<readonly ToolView[]>(`api/assistants/${id(assistant)}/tools`),
    staleTime: 300_000,
  });

// `where`: further parameters, as `pinned=true`.
export const sessionsQuery = (limit: number, words: string, where = "") =>
  queryOptions({
    queryKey: ["sessions", limit, words, where],
    queryFn: () =>
      call<readonly Session[]>(
        `api/sessions?limit=${limit}${words ? `&q=${id(words)}` : ""}${where ? `&${where}` : ""}`,
      ),
    refetchInterval: LOOK_MS,
    placeholderData: (before: readonly Session[] | undefined) => before,
  });

export const foldersQuery = queryOptions({
  queryKey: ["sessions", "folders"],
  queryFn: () => call<readonly SessionFolder[]>("api/sessions/folders"),
  staleTime: 60_000,
});

// Below "sessions": what has those asked anew has these asked too.
export const runningQuery = queryOptions({
  queryKey: ["sessions", "running"],
  queryFn: () => call<RunningSessions>("api/running"),
  refetchInterval: (query) => (query.state.data?.sessions.length ? RUNNING_MS : LOOK_MS),
});

export const grantsQuery = (session: string) =>
  queryOptions({
    queryKey: ["grants", session],
    queryFn: () => call<readonly Grant[]>(`api/sessions/${id(session)}/grants`),
    staleTime: 60_000,
  });

export const sessionOf = (session: string): Promise<SessionView> => call<SessionView>(`api/sessions/${id(session)}`);
