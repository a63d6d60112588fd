// What a command gives back, as what it is: what a tool returned, a list of names, or plain text.

import type { ReactNode } from "react";
import { Result } from "../trace/Result";
import { dataOf } from "../trace/table";
import type { Acted, Turn } from "./fold";

export function CommandAnswer({ turn, text }: { turn: Turn; text: string }): ReactNode {
  const result = turn.rows.findLast((row): row is Acted => row.kind === "act")?.result;
  const shaped = result && (!result.success || dataOf(result) !== null);
  return (
    <div className="answer chat__message chat__message--assistant">
      {shaped ? (
        <Result result={result} lit={null} whole />
      ) : (
        <div className="chat__message-text">
          <Listing text={text} />
        </div>
      )}
    </div>
  );
}

const NAMED = /^(\/?\w+(?:\([^)]*\))?(?: [A-Z]+)?(?: \{[^}]*\})?): (.+)$/;

// Name by name where every line has one, else as it is.
function Listing({ text }: { text: string }): ReactNode {
  const named = text.split("\n").map((line) => NAMED.exec(line));
  if (named.length < 2 || named.includes(null)) return <div className="prose verbatim">{text}</div>;
  return (
    <dl className="listing">
      {named.map((one) => (
        <div key={one?.[0]}>
          <dt>
            <code>{one?.[1]}</code>
          </dt>
          <dd>{one?.[2]}</dd>
        </div>
      ))}
    </dl>
  );
}
