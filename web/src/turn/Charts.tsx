import { useMemo, type ReactNode } from "react";
import { hasPicture, ToolPictures } from "../trace/Result";
import type { Turn } from "./fold";
import { picturesOf } from "./pictures";

// Who asks for a picture sees it before the words about it.
export const wantsChart = (question: string): boolean =>
  /\b(?:chart|charts|plot|graph|diagram|map|heatmap|timeline|visuali[sz]e)\b|图表|图|地图/i.test(question);

// What the tools drew, where one reads the answer.
export function Charts({ turn }: { turn: Turn }): ReactNode {
  const drawn = useMemo(() => (turn.answer ? picturesOf(turn, hasPicture) : []), [turn]);
  if (!drawn.length) return null;
  return (
    <div className="answer-charts">
      {drawn.map(({ key, data }) => (
        <ToolPictures key={key} data={data} />
      ))}
    </div>
  );
}
