// What stands before the page: a sign-in where one is needed, and the reason where the page cannot be shown at all.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { ApiError, call, messageOf, ROOT, trust } from "../api/client";
import type { SignedIn, Visitor } from "../api/types";
import { Brand } from "../ui/icons";
import { t } from "../language/t";

const NO_TOKEN = t("That is not the admin token.");
const NO_KEY = t("This key is unknown, expired or revoked: ask the operator for a new one.");

export function SignInForm({ operator, onSignedIn }: { operator: boolean; onSignedIn: () => void }): ReactNode {
  const { data } = useQuery({ queryKey: ["visitor"], queryFn: () => call<Visitor>("api/visitor") });
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = async (form: FormData) => {
    setBusy(true);
    setProblem("");
    try {
      const answer = await call<SignedIn>("api/sign-in", { key: String(form.get("key") ?? "").trim() });
      trust(answer.csrf_token);
      onSignedIn();
    } catch (error) {
      const unknown = error instanceof ApiError && error.status === 401;
      setProblem(unknown ? (operator ? NO_TOKEN : NO_KEY) : messageOf(error));
      field.current?.focus();
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="gate">
      <main className="card">
        <Brand />
        <h1>{t("Sign in")}</h1>
        <form action={(form) => void submit(form)}>
          <label htmlFor="key">{operator ? t("Admin token") : t("API key")}</label>
          <input
            id="key"
            name="key"
            ref={field}
            type="password"
            autoComplete="current-password"
            required
            maxLength={500}
          />
          <p className="problem" role="alert">
            {problem}
          </p>
          <button type="submit" className="primary" disabled={busy}>
            {t("Sign in")}
          </button>
        </form>
        {data?.openid && (
          <a className="primary" href={`${ROOT}api/sign-in/openid${operator ? "?page=admin" : ""}`}>
            {t("Sign in with your organisation")}
          </a>
        )}
        <p className="hint">
          {operator ? (
            t("The server showed it once on its first start; ADMIN_TOKEN sets another. ")
          ) : (
            <>
              {t("The operator creates one with ")}
              <code>glassloop users add NAME</code>
              {t(" and")} <code>glassloop keys create NAME</code>.{" "}
            </>
          )}
          {t("You only need it once; this browser then stays signed in.")}
        </p>
        {operator && (
          <p>
            <a className="quiet" href={ROOT}>
              {t("Back to chat")}
            </a>
          </p>
        )}
      </main>
    </div>
  );
}

export function Problem({ message, again }: { message: string; again: () => void }): ReactNode {
  return (
    <div className="gate">
      <main className="card">
        <Brand />
        <h1>{t("Something went wrong")}</h1>
        <p role="alert">{message}</p>
        <button type="button" className="primary" autoFocus onClick={again}>
          {t("Try again")}
        </button>
      </main>
    </div>
  );
}

// An address of the page that leads nowhere; one that the server does not know is told by the server, in the same words.
export function Nowhere(): ReactNode {
  return (
    <div className="gate">
      <main className="card">
        <Brand />
        <h1>{t("Page not found")}</h1>
        <p>
          {t("Nothing in Glassloop has the address ")}
          <code>{window.location.hash.slice(0, 200)}</code>.
        </p>
        <a className="primary" href="#/">
          {t("Back to chat")}
        </a>
      </main>
    </div>
  );
}
