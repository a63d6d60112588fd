// The line under the rail: what is being done, or what it took and how much of it is sourced.

import type { ReactNode } from "react";
import { useRules } from "../api/queries";
import type { Entry } from "./conversation";
import { kindNow, type Acted, type Reading, type Turn } from "./fold";
import { useNow } from "./now";
import { tallied } from "./sourced";
import { count, duration, money, roughly, when } from "./words";
import { t } from "../language/t";

const DOING = {
  think: t("thinking"),
  act: "running",
  answer: t("writing"),
  wait: t("waiting for you"),
  observe: t("checking"),
  trouble: "",
};

// A line that wraps ends with it, and never begins so.
const DOT = "\u00a0\u00a0·  ";
const LONG_S = 10;

interface Props {
  readonly entry: Entry;
  // Asks the same of a model that needs no reading.
  readonly onInstead?: (of: string) => void;
}

export function Meta({ entry, onInstead }: Props): ReactNode {
  const { turn, live, since } = entry;
  const rules = useRules();
  if (turn.totals) return <Summary turn={turn} />;
  if (!live) return <p className="meta">&nbsp;</p>;
  return (
    <>
      <Doing turn={turn} since={since} />
      {isSlow(turn.reading) && rules && turn.model !== rules && onInstead && (
        <p className="meta slow">
          {t("Models on this machine can take a while.")}{" "}
          <button type="button" className="more" onClick={() => onInstead(rules)}>
            {t("Ask {0} instead", rules)}
          </button>
          {t(": no language model, but it answers at once.")}
        </p>
      )}
    </>
  );
}

const isSlow = (reading: Reading | null): reading is Reading => reading !== null && reading.at - reading.since > LONG_S;

// From how much was read in which time; nothing before that says something.
export function timeLeft(reading: Reading | null): string {
  if (!isSlow(reading) || reading.read <= reading.first) return "";
  const pace = (reading.at - reading.since) / (reading.read - reading.first);
  return t("{0} left", roughly(pace * Math.max(0, reading.total - reading.read)));
}

function Doing({ turn, since }: { turn: Turn; since: number }): ReactNode {
  const now = useNow();
  const kind = kindNow(turn);
  const running = turn.rows.filter((row): row is Acted => row.kind === "act" && row.state === "running");
  const tools = kind === "act" ? running.map((row) => row.title).join(", ") : "";
  const doing = turn.remark || [DOING[kind], tools].filter(Boolean).join(" ");
  const parts = [
    doing,
    timeLeft(turn.reading),
    turn.steps ? t("{0} so far", count(turn.steps, "step")) : "",
    kind === "wait" ? "" : duration(Math.max(0, now - since) / 1000),
  ];
  return <p className="meta">{parts.filter(Boolean).join(DOT)}</p>;
}

// Who answered: the model that wrote it or, where it came to none, the one that was asked.
function byModel(turn: Turn): string {
  if (turn.command) return "";
  const model = turn.answering?.model || turn.model;
  return turn.wanted.effort ? t("{0}, {1} effort", model, turn.wanted.effort) : model;
}

function Summary({ turn }: { turn: Turn }): ReactNode {
  const { totals, command } = turn;
  const rules = useRules();
  if (!totals) return null;
  const parts = [
    byModel(turn),
    turn.answer?.reason === "guardrail" ? t("stopped by the guardrail {0}", turn.stoppedBy) : "",
    totals.tool_calls ? count(totals.tool_calls, "tool") : "",
    totals.iterations ? count(totals.iterations, "step") : "",
    duration(totals.seconds),
  ].filter(Boolean);
  const tokens = totals.input_tokens + totals.output_tokens;
  if (tokens && turn.model !== rules) parts.push(count(tokens, "token"), money(totals.cost, totals.unpriced_calls));
  const sourced = turn.answer && !command ? tallied(turn) : null;
  return (
    <p className="meta" title={turn.startedAt ? when(turn.startedAt) : ""}>
      {parts.join(DOT)}
      {sourced && (
        <>
          {DOT}
          <span className={sourced.all ? "all-sourced" : "some-sourced"}>{sourced.words}</span>
        </>
      )}
      {turn.forkedFrom && t("{0}forked", DOT)}
    </p>
  );
}
