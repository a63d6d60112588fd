// What a person decides about: the arguments, what the tool says will happen, and why it may have happened already.

import type { ReactNode } from "react";
import type { ApprovalRequested } from "../api/events";
import { exact } from "../turn/words";
import { Diff } from "./Diff";
import { isDiff, readDiff, type DiffLine } from "./diff";

export function diffOf(request: ApprovalRequested): readonly DiffLine[] | null {
  const text = previewText(request.preview);
  return text !== null && isDiff(text) ? readDiff(text) : null;
}

function previewText(preview: unknown): string | null {
  if (preview === null || preview === undefined) return null;
  if (typeof preview === "string") return preview;
  const only = typeof preview === "object" ? Object.entries(preview) : [];
  if (only.length === 1 && only[0]?.[0] === "diff" && typeof only[0][1] === "string") return only[0][1];
  return JSON.stringify(preview, null, 2);
}

export function Shown({ request, beside }: { request: ApprovalRequested; beside: boolean }): ReactNode {
  const lines = diffOf(request);
  const text = previewText(request.preview);
  const args = Object.entries(request.call.args);
  return (
    <div className="shown">
      {request.doubt && (
        <p className="doubt">
          {`${exact(request.doubt)} Whether it took effect is unknown: approve to run it again, refuse to leave it as it is.`}
        </p>
      )}
      {args.length > 0 && (
        <div className="parameters">
          {args.map(([name, value]) => (
            <div key={name} className="line">
              <span className="key">{`${exact(name)}: `}</span>
              {exact(typeof value === "string" && value.includes("\n") ? `\n${value}` : (JSON.stringify(value) ?? ""))}
            </div>
          ))}
        </div>
      )}
      {lines ? <Diff lines={lines} beside={beside} /> : text !== null && <pre tabIndex={0}>{exact(text)}</pre>}
    </div>
  );
}
