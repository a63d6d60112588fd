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
import { t } from "../language/t";

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
  call: t("what a tool returned"),
  earlier: t("what was read earlier in this conversation"),
  file: t("an attached file or image"),
  parent: t("what was read before this was requested"),
};

export function whyAsked(why: ApprovalReason): string {
  if (why.kind === "unsourced") return t("No source was found for its “{0}”:", why.argument);
  if (why.kind === "repeated") return t("The same call was made before for this question:");
  const source = why.origin === "call" && why.tool ? t("what {0} returned", why.tool) : ORIGINS[why.origin];
  if (why.kind === "confidential") {
    const to = why.destinations.length > 0 ? t(" to {0}", why.destinations.join(", ")) : "";
    return t("This may send{0} confidential content from {1}:", to, source);
  }
  const said = why.argument ? t("its “{0}” appears in", why.argument) : t("it may follow from");
  return t("You did not ask for exactly this: {0} {1}, which a stranger may have written:", said, source);
}

export function Shown({ request, beside }: { request: ApprovalRequested; beside: boolean }): ReactNode {
  return (
    <div className="shown">
      {request.doubt && (
        <p className="doubt">
          {t(
            "{0} It is unknown whether it took effect: approve to run it again, refuse to leave it as is.",
            exact(request.doubt),
          )}
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
          <summary>{t("Arguments")}</summary>
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
