// Files on their way: uploads one after the other, then the jobs that read them. Not of a component: going to another
// place of the page ends none of them, and jobs go on when the page is closed.

import { useSyncExternalStore } from "react";
import { ApiError, call, id, messageOf, send, type Sending } from "../api/client";
import type { ActionResult, JobView, Upload } from "../api/types";
import { t } from "../language/t";

export type ImportStage = "waiting" | "sending" | "reading" | "completed" | "failed" | "cancelled";

export interface FileImport<Result> {
  readonly key: string;
  readonly name: string;
  readonly stage: ImportStage;
  // Of the stage; null where nobody can tell.
  readonly fraction: number | null;
  readonly message: string;
  readonly job: string | null;
  readonly result: Result | null;
}

interface Kind {
  // What the uploads are for, the route that begins a job, and the job's kind.
  readonly purpose: string;
  readonly path: string;
  readonly job: string;
  // What a file is called that another tab began.
  readonly unnamed: string;
  // Whether the upload is needed no more once it was read.
  readonly discards?: boolean;
}

const LOOK_MS = 1_000;
const MAX_SHOWN = 50;
const OPEN: readonly ImportStage[] = ["waiting", "sending", "reading"];

export const isUnderWay = (one: { readonly stage: ImportStage }): boolean => OPEN.includes(one.stage);

export class FileImports<Result> {
  private imports: readonly FileImport<Result>[] = [];
  private made = 0;
  private sendingNow: { readonly key: string; readonly sending: Sending<Upload> } | null = null;
  private queue: Promise<void> = Promise.resolve();
  private readonly files = new Map<string, File>();
  private readonly uploads = new Map<string, string>();
  private readonly listeners = new Set<() => void>();
  private owner: string | null = null;

  constructor(private readonly kind: Kind) {}

  readonly use = (): readonly FileImport<Result>[] => useSyncExternalStore(this.subscribe, () => this.imports);

  readonly begin = (chosen: readonly File[]): void => {
    for (const file of chosen) {
      const key = this.add(file.name, {});
      this.files.set(key, file);
      this.queue = this.queue.then(() => this.upload(key, file));
    }
  };

  readonly cancel = async (key: string): Promise<void> => {
    const one = this.find(key);
    if (!one || !isUnderWay(one)) return;
    if (one.job) {
      await call<ActionResult>(`api/jobs/${id(one.job)}/cancel`, {}).catch((error: unknown) =>
        this.change(key, { message: messageOf(error) }),
      );
      return;
    }
    this.change(key, { stage: "cancelled", message: "" });
    if (this.sendingNow?.key === key) this.sendingNow.sending.cancel();
  };

  // The same file once more, where this page still has it.
  readonly retry = (key: string): void => {
    const file = this.files.get(key);
    this.dismiss(key);
    if (file) this.begin([file]);
  };

  readonly canRetry = (key: string): boolean => this.files.has(key);

  readonly dismiss = (key: string): void => {
    this.files.delete(key);
    this.put(this.imports.filter((one) => one.key !== key));
  };

  // Jobs that were begun before the page was loaded, or in another tab. What another user began here is not shown.
  readonly adopt = async (user: string): Promise<void> => {
    if (this.owner !== null && this.owner !== user) {
      this.sendingNow?.sending.cancel();
      this.files.clear();
      this.put([]);
    }
    this.owner = user;
    const [running, queued] = await Promise.all(
      ["running", "queued"].map((status) => call<readonly JobView[]>(`api/jobs?limit=50&status=${status}`)),
    );
    for (const job of [...(running ?? []), ...(queued ?? [])]) {
      if (job.kind !== this.kind.job || this.imports.some((one) => one.job === job.id)) continue;
      void this.follow(this.add(this.kind.unnamed, { stage: "reading", job: job.id, fraction: job.fraction }), job.id);
    }
  };

  private readonly subscribe = (changed: () => void): (() => void) => {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  };

  private put(next: readonly FileImport<Result>[]): void {
    this.imports = next;
    for (const listener of this.listeners) listener();
  }

  private change(key: string, changes: Partial<FileImport<Result>>): void {
    this.put(this.imports.map((one) => (one.key === key ? { ...one, ...changes } : one)));
  }

  private find(key: string): FileImport<Result> | undefined {
    return this.imports.find((one) => one.key === key);
  }

  private add(name: string, more: Partial<FileImport<Result>>): string {
    this.made += 1;
    const key = `i${this.made}`;
    const fresh = { key, name, stage: "waiting", fraction: null, message: "", job: null, result: null } as const;
    // What is over makes room first.
    const over = this.imports.filter((one) => !isUnderWay(one)).slice(0, MAX_SHOWN);
    this.put([{ ...fresh, ...more }, ...this.imports.filter((one) => isUnderWay(one) || over.includes(one))]);
    return key;
  }

  private async upload(key: string, file: File): Promise<void> {
    if (this.find(key)?.stage !== "waiting") return;
    this.change(key, { stage: "sending", fraction: 0 });
    try {
      const path = `api/uploads?purpose=${this.kind.purpose}&name=${id(file.name.slice(0, 255))}`;
      const sending = send<Upload>(path, file, (fraction) => this.change(key, { fraction }));
      this.sendingNow = { key, sending };
      const upload = await sending.done;
      this.sendingNow = null;
      this.uploads.set(key, upload.id);
      const job = await call<JobView>(this.kind.path, { upload_id: upload.id });
      if (this.find(key)?.stage === "cancelled") {
        // Cancelled between the two: the server has it already.
        await call<ActionResult>(`api/jobs/${id(job.id)}/cancel`, {});
        this.discardUpload(key);
        return;
      }
      this.change(key, { stage: "reading", fraction: 0, job: job.id });
      void this.follow(key, job.id);
    } catch (error) {
      this.sendingNow = null;
      this.discardUpload(key);
      if (this.find(key)?.stage !== "cancelled") this.change(key, { stage: "failed", message: messageOf(error) });
    }
  }

  // What was not imported would stay on the server, and count among what its user may have there.
  private discardUpload(key: string): void {
    const upload = this.uploads.get(key);
    this.uploads.delete(key);
    if (upload) void call(`api/uploads/${id(upload)}`, undefined, "DELETE").catch(() => undefined);
  }

  // To its end. A server that cannot be reached may come back, and its job with it.
  private async follow(key: string, job: string): Promise<void> {
    for (;;) {
      try {
        const now = await call<JobView>(`api/jobs/${id(job)}`);
        if (now.status === "completed") {
          this.files.delete(key);
          if (this.kind.discards) this.discardUpload(key);
          this.uploads.delete(key);
          this.change(key, { stage: "completed", fraction: 1, message: "", result: now.result as Result });
        } else if (now.status === "failed")
          this.change(key, { stage: "failed", message: now.error ?? t("It failed.") });
        else if (now.status === "cancelled") this.change(key, { stage: "cancelled", message: "" });
        else this.change(key, { fraction: now.fraction, message: now.message });
      } catch (error) {
        const away = error instanceof ApiError && (error.status === 0 || error.status >= 500);
        if (away) this.change(key, { message: messageOf(error) });
        else this.change(key, { stage: "failed", message: messageOf(error) });
      }
      const stage = this.find(key)?.stage;
      if (stage === "failed" || stage === "cancelled") this.discardUpload(key);
      if (stage !== "reading") return;
      await new Promise((done) => window.setTimeout(done, LOOK_MS));
    }
  }
}
