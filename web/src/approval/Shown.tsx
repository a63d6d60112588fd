// What a person decides about: the arguments, what the tool says will happen, why they are asked, and why it may have
// happened already.

import type { ReactNode } from "react";
import type { ApprovalReason, ApprovalRequested } from "../api/events";
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

const ORIGINS: Record<ApprovalReason["origin"], string> = {
  call: "what a tool returned",
  earlier: "what was read earlier in this conversation",
  file: "a file or image that was given",
  parent: "what was read before this was asked for",
};

export function whyAsked(why: ApprovalReason): string {
  const source = why.origin === "call" && why.tool ? `what ${why.tool} returned` : ORIGINS[why.origin];
  if (why.kind === "confidential") {
    const to = why.destinations.length > 0 ? ` to ${why.destinations.join(", ")}` : "";
    return `This may send${to} what is confidential, from ${source}:`;
  }
  const said = why.argument ? `its “${why.argument}” stands in` : "it may follow from";
  return `You did not ask for exactly this yourself: ${said} ${source}, which strangers may have written:`;
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
      {request.why?.passage && (
        <figure className="why">
          <figcaption>{exact(whyAsked(request.why))}</figcaption>
          <blockquote>{exact(request.why.passage)}</blockquote>
        </figure>
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
