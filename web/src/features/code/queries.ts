// What the page asks the server about a session that works on code.

import { queryOptions } from "@tanstack/react-query";
import { call, id } from "../../api/client";
import type { FolderListing, JobView, SessionFiles, UndoPlan, WorkspaceFile } from "../../api/types";

export const filesKey = (session: string) => ["code", "files", session] as const;

export const filesQuery = (session: string) =>
  queryOptions({
    queryKey: filesKey(session),
    queryFn: () => call<SessionFiles>(`api/code-chat/sessions/${id(session)}/files`),
    staleTime: 60_000,
  });

export const foldersQuery = (path: string) =>
  queryOptions({
    queryKey: ["code", "folders", path],
    queryFn: () => call<FolderListing>(`api/code-chat/workspaces?path=${id(path)}`),
    retry: false,
  });

export interface CodeContext {
  readonly name: string;
  readonly workspace: string;
  readonly state: "indexing" | "embedding" | "ready" | "failed" | "unavailable";
}

export const contextsQuery = queryOptions({
  queryKey: ["code", "contexts"],
  queryFn: () => call<readonly CodeContext[]>("api/code-chat/contexts"),
  retry: false,
});

export const indexFolder = (folder: string): Promise<JobView> =>
  call<JobView>("api/code-chat/contexts", { workspace_path: folder });

const JOB_MS = 1000;

export const jobQuery = (job: string) =>
  queryOptions({
    queryKey: ["code", "job", job],
    queryFn: () => call<JobView>(`api/jobs/${id(job)}`),
    refetchInterval: ({ state }) => (state.data?.finished_at == null ? JOB_MS : false),
    retry: false,
  });

export const fileQuery = (session: string, path: string, version: string) =>
  queryOptions({
    queryKey: ["code", "file", session, path, version],
    queryFn: () => call<WorkspaceFile>(`api/code-chat/workspaces/file?session_id=${id(session)}&path=${id(path)}`),
    retry: false,
  });

export const undoQuery = (turn: string) =>
  queryOptions({
    queryKey: ["code", "undo", turn],
    queryFn: () => call<UndoPlan>(`api/code-chat/changes/${id(turn)}/undo`),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });

export const undo = (turn: string, digest: string): Promise<UndoPlan> =>
  call<UndoPlan>(`api/code-chat/changes/${id(turn)}/undo`, { digest });
