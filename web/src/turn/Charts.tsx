import type { ReactNode } from "react";
import { hasPicture, ToolPictures } from "../trace/Result";
import type { Turn } from "./fold";

const MOST_CHARTS = 3;

// What the tools drew, where one reads the answer.
export function Charts({ turn }: { turn: Turn }): ReactNode {
  if (!turn.answer) return null;
  const drawn = turn.rows.filter((row) => row.kind === "act" && hasPicture(row.result?.data));
  if (!drawn.length) return null;
  return (
    <div className="answer-charts">
      {drawn
        .slice(-MOST_CHARTS)
        .map((row) => row.kind === "act" && <ToolPictures key={row.key} data={row.result?.data} />)}
    </div>
  );
}
