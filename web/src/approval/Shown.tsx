// What a person decides about: the arguments, what the tool says will happen, why they are asked, and why it may have
// happened already.

import type { ReactNode } from "react";
import type { ApprovalReason, ApprovalRequested } from "../api/events";
import { Markdown } from "../markdown/Markdown";
import { exact } from "../turn/words";
import { changedFiles } from "./changedFiles";
import { commandIn, CommandShown } from "./CommandShown";
import { Diff } from "./Diff";
import { isDiff, readDiff, type DiffLine } from "./diff";
import { FileDiff, FileName } from "./FileChange";

/** The lines that a request would change, of all its files. */
export function diffOf(request: ApprovalRequested): readonly DiffLine[] | null {
  return changedFiles(request.preview)?.flatMap((file) => file.lines) ?? unifiedOf(request);
}

function unifiedOf(request: ApprovalRequested): readonly DiffLine[] | null {
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
          <blockquote tabIndex={0}>{exact(request.why.passage)}</blockquote>
        </figure>
      )}
      <Effect request={request} beside={beside} />
    </div>
  );
}

// What will happen, in the form it is best read in. Where that says it all, the arguments are folded.
function Effect({ request, beside }: { request: ApprovalRequested; beside: boolean }): ReactNode {
  const { preview, call } = request;
  const files = changedFiles(preview);
  const command = commandIn(preview);
  const plan = planIn(preview);
  if (files || command || plan !== null) {
    return (
      <>
        {files?.map((file) => (
          <section key={file.path} className="file-change">
            <FileName file={file} />
            <FileDiff file={file} beside={beside} />
          </section>
        ))}
        {command && <CommandShown shown={command} />}
        {plan !== null && <Markdown source={exact(plan)} />}
        <details className="arguments">
          <summary>Arguments</summary>
          <Arguments args={call.args} />
        </details>
      </>
    );
  }
  const lines = unifiedOf(request);
  const text = previewText(preview);
  return (
    <>
      <Arguments args={call.args} />
      {lines ? <Diff lines={lines} beside={beside} /> : text !== null && <pre tabIndex={0}>{exact(text)}</pre>}
    </>
  );
}

function planIn(preview: unknown): string | null {
  if (typeof preview !== "object" || preview === null || !("plan" in preview)) return null;
  return typeof preview.plan === "string" && Object.keys(preview).length === 1 ? preview.plan : null;
}

function Arguments({ args }: { args: Readonly<Record<string, unknown>> }): ReactNode {
  const given = Object.entries(args);
  if (!given.length) return null;
  return (
    <div className="parameters">
      {given.map(([name, value]) => (
        <div key={name} className="line">
          <span className="key">{`${exact(name)}: `}</span>
          {exact(typeof value === "string" && value.includes("\n") ? `\n${value}` : (JSON.stringify(value) ?? ""))}
        </div>
      ))}
    </div>
  );
}
