// A command before it runs: the line itself, what holds it, and what it may reach.

import type { ReactNode } from "react";
import { exact } from "../turn/words";
import { t } from "../language/t";

export interface CommandPreview {
  readonly command: string;
  readonly folder: string;
  readonly timeout_s: number;
  readonly network: boolean;
  readonly sandbox: string | null;
  readonly warnings: readonly string[];
}

export function commandIn(preview: unknown): CommandPreview | null {
  if (typeof preview !== "object" || preview === null) return null;
  const given = preview as Readonly<Record<string, unknown>>;
  if (typeof given["command"] !== "string" || typeof given["network"] !== "boolean") return null;
  const warnings = Array.isArray(given["warnings"]) ? given["warnings"].map(String) : [];
  return {
    command: given["command"],
    folder: String(given["folder"] ?? "."),
    timeout_s: Number(given["timeout_s"] ?? 0),
    network: given["network"],
    sandbox: typeof given["sandbox"] === "string" ? given["sandbox"] : null,
    warnings,
  };
}

export function CommandShown({ shown }: { shown: CommandPreview }): ReactNode {
  const { command, folder, timeout_s, network, sandbox, warnings } = shown;
  return (
    <div className="command-shown">
      <pre tabIndex={0} aria-label={t("Command")}>
        <span aria-hidden="true">$ </span>
        {exact(command)}
      </pre>
      <ul className="command-facts">
        <li className={sandbox ? "" : "warns"}>{sandbox ? t("Sandbox: {0}", exact(sandbox)) : t("No sandbox")}</li>
        <li className={network ? "warns" : ""}>{network ? t("Network allowed") : t("No network")}</li>
        <li>{folder === "." ? t("At the root of the workspace") : t("In {0}", exact(folder))}</li>
        {timeout_s > 0 && <li>{t("Stopped after {0} s", timeout_s)}</li>}
      </ul>
      {warnings.map((warning) => (
        <p key={warning} className="doubt">
          {exact(warning)}
        </p>
      ))}
    </div>
  );
}
