// MCP servers, their tools and their state; an operator accepts tools that changed or are new after seeing them.

import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, id, messageOf } from "../../api/client";
import type { Me, ServerStatus, ToolStatus } from "../../api/types";
import { count, exact } from "../../turn/words";
import { t } from "../../language/t";

const serversQuery = queryOptions({
  queryKey: ["servers"],
  queryFn: () => call<readonly ServerStatus[]>("api/servers"),
});

export default function Servers({ me }: { me: Me }): ReactNode {
  const { data, error } = useQuery(serversQuery);
  return (
    <section aria-labelledby="servers-title">
      <h2 id="servers-title">{t("MCP servers")}</h2>
      {error && <p className="problem">{messageOf(error)}</p>}
      {data && !data.length && (
        <p className="hint">
          {t("None. Add some to ")}
          <code>.mcp.json</code>
          {t(" and they appear here with their tools.")}
        </p>
      )}
      <ul className="cards">
        {data?.map((server) => (
          <Server key={`${server.name} ${server.file}`} server={server} me={me} />
        ))}
      </ul>
    </section>
  );
}

function Server({ server, me }: { server: ServerStatus; me: Me }): ReactNode {
  const waits = server.state === "untrusted";
  const asking = server.tools.filter((tool) => tool.state === "new" || tool.state === "withheld");
  return (
    <li className={waits ? "missing" : "ready"}>
      <div className="card-head">
        <b>{server.name || server.file}</b>
        <span className="grow" />
        <span className={server.state === "running" ? "good-word" : waits ? "waits" : "hint"}>{server.state}</span>
      </div>
      {server.reason && <p className="hint">{server.reason}</p>}
      {server.tools.length > 0 && (
        <details open={asking.length > 0}>
          <summary>
            {count(server.tools.length, "tool")}
            {asking.length > 0 && t(", {0} to review", asking.length)}
          </summary>
          <ul className="tool-names">
            {server.tools.map((tool) => (
              <Tool key={tool.name || tool.tool} server={server.name} tool={tool} me={me} />
            ))}
          </ul>
        </details>
      )}
      {Object.keys(server.launch).length > 0 && (
        <pre className="launch" tabIndex={0}>
          {exact(JSON.stringify(server.launch, null, 2))}
        </pre>
      )}
    </li>
  );
}

function Tool({ server, tool, me }: { server: string; tool: ToolStatus; me: Me }): ReactNode {
  const client = useQueryClient();
  const accept = useMutation({
    mutationFn: () => call<ServerStatus>(`api/servers/${id(server)}/approve`, { tool: tool.tool, digest: tool.digest }),
    onSuccess: () => client.invalidateQueries({ queryKey: serversQuery.queryKey }),
  });
  return (
    <li>
      <code>{tool.name || tool.tool}</code> <span className="hint">{tool.description}</span>
      {tool.reason && <p className="waits">{tool.reason}</p>}
      {tool.now && me.admin && (
        <>
          {tool.accepted && (
            <pre className="launch" tabIndex={0} aria-label={t("Accepted version")}>
              {exact(JSON.stringify(tool.accepted, null, 2))}
            </pre>
          )}
          <pre className="launch" tabIndex={0} aria-label={t("Current version")}>
            {exact(JSON.stringify(tool.now, null, 2))}
          </pre>
          <button type="button" className="plain small" disabled={accept.isPending} onClick={() => accept.mutate()}>
            {t("Accept the current version")}
          </button>
        </>
      )}
      {accept.error && <p className="problem">{messageOf(accept.error)}</p>}
    </li>
  );
}
