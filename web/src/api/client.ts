// Talking to the server: requests with the right headers, mistakes as `ApiError`.

import { t } from "../language/t";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

// Where the server is: the page lies at its root, whatever path that is under.
export const ROOT = typeof document === "undefined" ? "/" : new URL(".", document.baseURI).pathname;

const AWAY = t("The server cannot be reached. Check that it is running, then try again.");

let csrf: string | null = null;

export function trust(token: string | null): void {
  csrf = token;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export async function call<T>(
  path: string,
  body?: unknown,
  method: Method = body === undefined ? "GET" : "POST",
): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (method !== "GET" && csrf) headers["x-csrf-token"] = csrf;
  let response: Response;
  try {
    response = await fetch(address(path), { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  } catch {
    throw new ApiError(0, AWAY);
  }
  const told: unknown = await response.json().catch(() => null);
  if (response.ok) return told as T;
  throw refusal(response.status, told);
}

// Deletes something even while the page closes; nobody waits for the answer.
export function leave(path: string): void {
  const headers: Record<string, string> = csrf ? { "x-csrf-token": csrf } : {};
  void fetch(address(path), { method: "DELETE", headers, keepalive: true }).catch(() => undefined);
}

const BROKEN_OFF = t(
  "The upload was interrupted. Check that the server is running and accepts files of this size, then try again.",
);

export interface Sending<T> {
  readonly done: Promise<T>;
  readonly cancel: () => void;
}

// A file as it is, with how much of it is sent (0 to 1), which `fetch` does not tell.
export function send<T>(path: string, file: Blob, tell: (fraction: number) => void): Sending<T> {
  const request = new XMLHttpRequest();
  const done = new Promise<T>((taken, refused) => {
    request.open("POST", address(path));
    request.responseType = "json";
    request.setRequestHeader("content-type", "application/octet-stream");
    request.setRequestHeader("accept", "application/json");
    if (csrf) request.setRequestHeader("x-csrf-token", csrf);
    request.upload.onprogress = ({ loaded, total }) => tell(total ? loaded / total : 0);
    request.onerror = () => refused(new ApiError(0, BROKEN_OFF));
    request.onabort = () => refused(new ApiError(0, t("Cancelled.")));
    request.onload = () => {
      if (request.status < 300) taken(request.response as T);
      else refused(refusal(request.status, request.response));
    };
    request.send(file);
  });
  return { done, cancel: () => request.abort() };
}

function refusal(status: number, told: unknown): ApiError {
  const said = told && typeof told === "object" && "error" in told ? String(told.error) : null;
  return new ApiError(status, said ?? t("The server returned {0}. Try again.", status));
}

// The address of something of the server's.
export const address = (path: string): string => `${ROOT}${path}`;

export const id = (text: string): string => encodeURIComponent(text);

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
