import { useMemo, type ReactNode } from "react";
import { useRules } from "../api/queries";
import type { Turn } from "../turn/fold";
import { CopyButton } from "../ui/CopyButton";
import { terminal, written } from "./lines";
import { t } from "../language/t";

export default function Terminal({ turn }: { turn: Turn }): ReactNode {
  const counts = turn.model !== useRules();
  const lines = useMemo(() => terminal(turn, counts), [turn, counts]);
  return (
    <div className="text-view">
      <CopyButton text={() => written(lines)} label={t("Copy all")} className="plain small" />
      <pre className="terminal" tabIndex={0} aria-label={t("The turn as text")}>
        {lines.map(({ kind, text, open }, place) => (
          <span key={place} className={/^\s*(?:←|\|)/.test(text) ? `${kind} rows` : kind}>
            {open ? text : `${text}\n`}
          </span>
        ))}
      </pre>
    </div>
  );
}
