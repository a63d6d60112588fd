// What the person is told as a turn starts and the model is not: guidance of a folder that is new, an index that is not
// there. A long one is folded after its first line.

import type { ReactNode } from "react";
import type { Notice } from "./model";

const SHORT = 200;

export function Notices({ notices }: { notices: readonly Notice[] }): ReactNode {
  return notices.map(({ kind, text }, at) => {
    const [first = "", ...rest] = text.split("\n");
    const name = `notice${kind === "error" ? " problem" : ""}`;
    // The same text may come twice.
    return !rest.length && text.length <= SHORT ? (
      <p key={at} className={name}>
        {text}
      </p>
    ) : (
      <details key={at} className={name}>
        <summary>{first.length > SHORT ? `${first.slice(0, SHORT)}…` : first}</summary>
        <pre tabIndex={0}>{first.length > SHORT ? text : rest.join("\n")}</pre>
      </details>
    );
  });
}
