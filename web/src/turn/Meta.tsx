// The line under the rail: what is being done, or what it took and how much of it is sourced.

import type { ReactNode } from "react";
import type { Entry } from "./conversation";
import { kindNow, type Acted, type Turn } from "./fold";
import { useNow } from "./now";
import { tallied } from "./sourced";
import { count, duration, money, when } from "./words";

const DOING = {
  think: "thinking",
  act: "running",
  answer: "writing",
  wait: "waiting for you",
  observe: "checking",
  trouble: "",
};

export function Meta({ entry }: { entry: Entry }): ReactNode {
  const { turn, live, since } = entry;
  if (turn.totals) return <Summary turn={turn} />;
  return live ? <Doing turn={turn} since={since} /> : <p className="meta">&nbsp;</p>;
}

function Doing({ turn, since }: { turn: Turn; since: number }): ReactNode {
  const now = useNow();
  const kind = kindNow(turn);
  const running = turn.rows.filter((row): row is Acted => row.kind === "act" && row.state === "running");
  const tools = kind === "act" ? running.map((row) => row.title).join(", ") : "";
  const doing = turn.remark || [DOING[kind], tools].filter(Boolean).join(" ");
  const parts = [
    doing,
    turn.steps ? `${count(turn.steps, "step")} so far` : "",
    kind === "wait" ? "" : duration(Math.max(0, now - since) / 1000),
  ];
  return <p className="meta">{parts.filter(Boolean).join("  ·  ")}</p>;
}

function Summary({ turn }: { turn: Turn }): ReactNode {
  const { totals, command } = turn;
  if (!totals) return null;
  const parts = [count(totals.tool_calls, "tool"), count(totals.iterations, "step"), duration(totals.seconds)];
  const tokens = totals.input_tokens + totals.output_tokens;
  // `reflex` is no language model: what it counts as tokens costs nothing and says nothing.
  if (tokens && turn.model !== "reflex") parts.push(count(tokens, "token"), money(totals.cost, totals.unpriced_calls));
  const sourced = turn.answer && !command ? tallied(turn) : null;
  return (
    <p className="meta" title={turn.startedAt ? when(turn.startedAt) : ""}>
      {parts.join("  ·  ")}
      {sourced && (
        <>
          {"  ·  "}
          <span className={sourced.all ? "all-sourced" : "some-sourced"}>{sourced.words}</span>
        </>
      )}
      {turn.forkedFrom && "  ·  branched"}
    </p>
  );
}
