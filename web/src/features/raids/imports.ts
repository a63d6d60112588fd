// Logs on their way: uploads one after the other, then the jobs that read them. Not of a component: going to another
// place of the page ends none of them, and jobs go on when the page is closed.

import { useSyncExternalStore } from "react";
import { ApiError, call, id, messageOf, send, type Sending } from "../../api/client";
import type { ActionResult, JobView, Upload } from "../../api/types";

export type ImportStage = "waiting" | "sending" | "reading" | "completed" | "failed" | "cancelled";

export interface LogImport {
  readonly key: string;
  readonly name: string;
  readonly stage: ImportStage;
  // Of the stage; null where nobody can tell.
  readonly fraction: number | null;
  readonly message: string;
  readonly job: string | null;
  readonly result: ImportedLog | null;
}

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

const LOOK_MS = 1_000;
const KIND = "raids_import";
const MAX_SHOWN = 50;
const OPEN: readonly ImportStage[] = ["waiting", "sending", "reading"];

let imports: readonly LogImport[] = [];
let made = 0;
let sendingNow: { readonly key: string; readonly sending: Sending<Upload> } | null = null;
let queue: Promise<void> = Promise.resolve();
const files = new Map<string, File>();
const uploads = new Map<string, string>();
const listeners = new Set<() => void>();
let owner: string | null = null;

export const isUnderWay = (one: LogImport): boolean => OPEN.includes(one.stage);

function put(next: readonly LogImport[]): void {
  imports = next;
  for (const listener of listeners) listener();
}

const change = (key: string, changes: Partial<LogImport>): void =>
  put(imports.map((one) => (one.key === key ? { ...one, ...changes } : one)));

const find = (key: string): LogImport | undefined => imports.find((one) => one.key === key);

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  return () => listeners.delete(changed);
}

export const useImports = (): readonly LogImport[] => useSyncExternalStore(subscribe, () => imports);

function add(name: string, more: Partial<LogImport>): string {
  made += 1;
  const key = `i${made}`;
  const fresh = { key, name, stage: "waiting", fraction: null, message: "", job: null, result: null } as const;
  // What is over makes room first.
  const over = imports.filter((one) => !isUnderWay(one)).slice(0, MAX_SHOWN);
  put([{ ...fresh, ...more }, ...imports.filter((one) => isUnderWay(one) || over.includes(one))]);
  return key;
}

export function importLogs(chosen: readonly File[]): void {
  for (const file of chosen) {
    const key = add(file.name, {});
    files.set(key, file);
    queue = queue.then(() => importLog(key, file));
  }
}

async function importLog(key: string, file: File): Promise<void> {
  if (find(key)?.stage !== "waiting") return;
  change(key, { stage: "sending", fraction: 0 });
  try {
    const path = `api/uploads?purpose=raids&name=${id(file.name.slice(0, 255))}`;
    const sending = send<Upload>(path, file, (fraction) => change(key, { fraction }));
    sendingNow = { key, sending };
    const upload = await sending.done;
    sendingNow = null;
    uploads.set(key, upload.id);
    const job = await call<JobView>("api/raids/imports", { upload_id: upload.id });
    if (find(key)?.stage === "cancelled") {
      // Cancelled between the two: the server has it already.
      await call<ActionResult>(`api/jobs/${id(job.id)}/cancel`, {});
      discardUpload(key);
      return;
    }
    change(key, { stage: "reading", fraction: 0, job: job.id });
    void follow(key, job.id);
  } catch (error) {
    sendingNow = null;
    discardUpload(key);
    if (find(key)?.stage !== "cancelled") change(key, { stage: "failed", message: messageOf(error) });
  }
}

// What was not imported would stay on the server, and count among what its user may have there.
function discardUpload(key: string): void {
  const upload = uploads.get(key);
  uploads.delete(key);
  if (upload) void call(`api/uploads/${id(upload)}`, undefined, "DELETE").catch(() => undefined);
}

// To its end. A server that cannot be reached may come back, and its job with it.
async function follow(key: string, job: string): Promise<void> {
  for (;;) {
    try {
      const now = await call<JobView>(`api/jobs/${id(job)}`);
      if (now.status === "completed") {
        files.delete(key);
        uploads.delete(key);
        change(key, { stage: "completed", fraction: 1, message: "", result: now.result as ImportedLog });
      } else if (now.status === "failed") change(key, { stage: "failed", message: now.error ?? "It failed." });
      else if (now.status === "cancelled") change(key, { stage: "cancelled", message: "" });
      else change(key, { fraction: now.fraction, message: now.message });
    } catch (error) {
      const away = error instanceof ApiError && (error.status === 0 || error.status >= 500);
      if (away) change(key, { message: messageOf(error) });
      else change(key, { stage: "failed", message: messageOf(error) });
    }
    const stage = find(key)?.stage;
    if (stage === "failed" || stage === "cancelled") discardUpload(key);
    if (stage !== "reading") return;
    await new Promise((done) => window.setTimeout(done, LOOK_MS));
  }
}

export async function cancelImport(key: string): Promise<void> {
  const one = find(key);
  if (!one || !isUnderWay(one)) return;
  if (one.job) {
    await call<ActionResult>(`api/jobs/${id(one.job)}/cancel`, {}).catch((error: unknown) =>
      change(key, { message: messageOf(error) }),
    );
    return;
  }
  change(key, { stage: "cancelled", message: "" });
  if (sendingNow?.key === key) sendingNow.sending.cancel();
}

// The same file once more, where this page still has it.
export function retryImport(key: string): void {
  const file = files.get(key);
  dismissImport(key);
  if (file) importLogs([file]);
}

export const canRetry = (key: string): boolean => files.has(key);

export function dismissImport(key: string): void {
  files.delete(key);
  put(imports.filter((one) => one.key !== key));
}

// Jobs that were begun before the page was loaded, or in another tab. What another user began here is not shown.
export async function adoptJobs(user: string): Promise<void> {
  if (owner !== user) {
    sendingNow?.sending.cancel();
    files.clear();
    put([]);
    owner = user;
  }
  const [running, queued] = await Promise.all(
    ["running", "queued"].map((status) => call<readonly JobView[]>(`api/jobs?limit=50&status=${status}`)),
  );
  for (const job of [...(running ?? []), ...(queued ?? [])]) {
    if (job.kind !== KIND || imports.some((one) => one.job === job.id)) continue;
    void follow(add("A combat log", { stage: "reading", job: job.id, fraction: job.fraction }), job.id);
  }
}
