// What is allowed for a session, in words: exactly the folder or the beginning of a command, nothing wider.

import type { ReactNode } from "react";
import type { ApprovalRequested } from "../api/events";
import { exact } from "../turn/words";
import { t } from "../language/t";

const WHOLE = "./";

/** What a request offers to allow. */
export function grantWords({ allow, call }: ApprovalRequested): ReactNode {
  if (allow?.kind === "command") {
    return (
      <>
        {t("allow commands that begin with ")}
        <code>{exact(allow.scope)}</code>
      </>
    );
  }
  return (
    <>
      {t("allow ")}
      <code>{exact(call.tool)}</code>
      {allow && <ScopeWords scope={allow.scope} />}
    </>
  );
}

/** Where a grant counts; nothing for a tool as it is. */
export function ScopeWords({ scope }: { scope: string }): ReactNode {
  if (!scope) return null;
  if (scope === WHOLE) return t(" in the whole workspace");
  return (
    <>
      {scope.endsWith("/") ? t(" below ") : t(" as ")}
      <code>{exact(scope)}</code>
    </>
  );
}
