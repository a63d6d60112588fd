// The card of an approval: what will happen, shown exactly; approve, edit, refuse. Bound to what is shown by its digest.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { ApiError, call, id, messageOf } from "../api/client";
import { toolsQuery } from "../api/queries";
import type { ApprovalDecision, ActionResult } from "../api/types";
import type { Pending } from "../turn/fold";
import { exact } from "../turn/words";
import { counted } from "./diff";
import { DiffView } from "./FileChange";
import { EditForm, RefuseForm } from "./forms";
import { grantWords } from "./grantWords";
import { diffOf, Shown } from "./Shown";
import { t } from "../language/t";

const STALE = t("This was decided elsewhere, or has changed: see what it says now.");

interface Props {
  readonly turnId: string;
  readonly assistant: string;
  readonly pending: Pending;
  readonly onDecided: () => void;
}

type Given = Partial<ApprovalDecision> & { approved: boolean };

export function Approval({ turnId, assistant, pending, onDecided }: Props): ReactNode {
  const { request } = pending;
  const [mode, setMode] = useState<"choose" | "edit" | "refuse">("choose");
  const [beside, setBeside] = useState(false);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [forSession, setForSession] = useState(false);
  const grantable = useGrantable(assistant, request) && request.reason === "approval";
  const client = useQueryClient();
  const card = useRef<HTMLElement>(null);
  const label = useId();
  const over = pending.decision !== null || pending.void;
  const held = useRef(false);
  useEffect(() => {
    if (over && held.current) card.current?.focus();
  }, [over]);
  const send = async (given: Given) => {
    setBusy(true);
    setProblem("");
    held.current = card.current?.contains(document.activeElement) ?? false;
    try {
      const whole = given.approved && !given.args && grantable && forSession;
      const decision = {
        call_id: request.call.id,
        digest: request.digest,
        reason: "",
        ...(whole ? { for_session: true } : {}),
        ...given,
      };
      await call<ActionResult>(`api/turns/${id(turnId)}/approvals`, { decisions: [decision] });
      if (whole) void client.invalidateQueries({ queryKey: ["grants"] });
      onDecided();
    } catch (error) {
      setProblem(error instanceof ApiError && error.status === 409 ? STALE : messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  const back = () => {
    setMode("choose");
    setProblem("");
    card.current?.focus();
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Enter" && event.target === card.current && !over && !busy) {
      event.preventDefault();
      void send({ approved: true });
    } else if (event.key === "Escape" && mode !== "choose") {
      event.stopPropagation();
      back();
    }
  };
  const lines = diffOf(request);
  return (
    <section
      ref={card}
      className={`approval${over ? " over" : ""}`}
      tabIndex={0}
      aria-labelledby={label}
      onKeyDown={key}
    >
      <header>
        <h3 id={label}>
          <code>{exact(request.call.tool)}</code>
          {over
            ? `: ${outcome(pending)}`
            : request.reason === "outcome_unknown"
              ? t(" may have run already. Run it again?")
              : t(" needs your approval")}
        </h3>
        {lines && !over && <DiffTools {...{ beside, setBeside }} {...counted(lines)} />}
      </header>
      {over ? (
        <details>
          <summary>{t("What was shown")}</summary>
          <Shown request={request} beside={false} />
        </details>
      ) : (
        <>
          <Shown request={request} beside={beside} />
          {mode === "choose" && (
            <div className="choices">
              <button type="button" className="primary" disabled={busy} onClick={() => void send({ approved: true })}>
                {t("Approve")}{" "}
                <span className="enter" aria-hidden="true">
                  ⏎
                </span>
              </button>
              <button type="button" className="plain" disabled={busy} onClick={() => setMode("edit")}>
                {t("Edit")}
              </button>
              <button type="button" className="plain" disabled={busy} onClick={() => setMode("refuse")}>
                {t("Refuse…")}
              </button>
              {grantable && (
                <label className="for-session">
                  <input
                    type="checkbox"
                    checked={forSession}
                    onChange={(event) => setForSession(event.target.checked)}
                  />
                  <span>
                    {grantWords(request)}
                    {t(" for this session")}
                  </span>
                </label>
              )}
            </div>
          )}
          {mode === "edit" && (
            <EditForm
              args={request.call.args}
              shows={request.reason === "approval" && request.preview !== null && request.preview !== undefined}
              busy={busy}
              onBack={back}
              onProblem={setProblem}
              onSend={(args) => void send({ approved: true, args })}
            />
          )}
          {mode === "refuse" && (
            <RefuseForm busy={busy} onBack={back} onSend={(reason) => void send({ approved: false, reason })} />
          )}
          <p className="problem" role="alert">
            {problem}
          </p>
          <p className="bound">
            {t("Applies to exactly this ({0}).", request.digest.slice(0, 12))}
            {request.reason === "approval" && t(" If anything changes, you will be asked again.")}
            {holdsSecret(request) &&
              t(" [redacted] stands for a secret. It is not shown, but runs with its real value.")}
          </p>
        </>
      )}
    </section>
  );
}

function holdsSecret({ call, preview, doubt }: Pending["request"]): boolean {
  return JSON.stringify([call.args, preview, doubt]).includes("[redacted]");
}

// What may be allowed for a whole session: a folder or the beginning of a command, as the request offers it, or a tool
// that is allowed as it is.
function useGrantable(assistant: string, request: Pending["request"]): boolean {
  const { data } = useQuery({ ...toolsQuery(assistant), enabled: Boolean(assistant) });
  return Boolean(request.allow) || data?.find((one) => one.name === request.call.tool)?.grant === "tool";
}

interface ToolsProps {
  readonly added: number;
  readonly removed: number;
  readonly beside: boolean;
  readonly setBeside: (beside: boolean) => void;
}

function DiffTools({ added, removed, beside, setBeside }: ToolsProps): ReactNode {
  return (
    <div className="diff-tools">
      <span className="pill">{`+${added} −${removed}`}</span>
      <DiffView beside={beside} onBeside={setBeside} />
    </div>
  );
}

function outcome({ decision }: Pending): string {
  if (!decision) return t("not decided; the turn is over");
  if (!decision.approved) return decision.reason ? t("refused, {0}", exact(decision.reason)) : t("refused");
  if (decision.scope === "session") return t("approved, and {0}allowed for this session", scopeWords(decision));
  if (decision.scope === "granted") return t("ran without asking, allowed by {0} for this session", exact(decision.by));
  return decision.args ? t("approved as {0}", exact(JSON.stringify(decision.args))) : t("approved");
}

const scopeWords = ({ allowed }: { allowed?: string }): string => (allowed ? `${exact(allowed)} ` : "");
