// Talking to the server: requests with the right headers, mistakes as `ApiError`.

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

const AWAY = "The server cannot be reached. Look whether it runs, and try again.";

let csrf: string | null = null;

export function trust(token: string | null): void {
  csrf = token;
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";

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
  const said = told && typeof told === "object" && "error" in told ? String(told.error) : null;
  throw new ApiError(response.status, said ?? `The server answered ${response.status}. Try again.`);
}

// The address of something of the server's.
export const address = (path: string): string => `${ROOT}${path}`;

export const id = (text: string): string => encodeURIComponent(text);

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
