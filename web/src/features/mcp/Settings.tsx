// MCP servers, their tools and their state; an operator lets one run after seeing what it is.

import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call, id, messageOf } from "../../api/client";
import type { Me, ServerStatus } from "../../api/types";
import { count, exact } from "../../turn/words";

const serversQuery = queryOptions({
  queryKey: ["servers"],
  queryFn: () => call<readonly ServerStatus[]>("api/servers"),
});

export default function Servers({ me }: { me: Me }): ReactNode {
  const { data, error } = useQuery(serversQuery);
  return (
    <section aria-labelledby="servers-title">
      <h2 id="servers-title">MCP servers</h2>
      {error && <p className="problem">{messageOf(error)}</p>}
      {data && !data.length && (
        <p className="hint">
          None. Name some in <code>.mcp.json</code>, and they are listed here with their tools.
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
  const client = useQueryClient();
  const approve = useMutation({
    mutationFn: () => call<ServerStatus>(`api/servers/${id(server.name)}/approve`, { digest: server.digest }),
    onSuccess: () => client.invalidateQueries({ queryKey: serversQuery.queryKey }),
  });
  const waits = server.state === "unapproved";
  return (
    <li className={waits ? "missing" : "ready"}>
      <div className="card-head">
        <b>{server.name || server.file}</b>
        <span className="grow" />
        <span className={server.state === "running" ? "good-word" : waits ? "waits" : "hint"}>{server.state}</span>
      </div>
      {server.reason && <p className="hint">{server.reason}</p>}
      {server.tools.length > 0 && (
        <details>
          <summary>{count(server.tools.length, "tool")}</summary>
          <ul className="tool-names">
            {server.tools.map((tool) => (
              <li key={tool.name}>
                <code>{tool.name}</code> <span className="hint">{tool.description}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {Object.keys(server.launch).length > 0 && (
        <pre className="launch" tabIndex={0}>
          {exact(JSON.stringify(server.launch, null, 2))}
        </pre>
      )}
      {approve.error && <p className="problem">{messageOf(approve.error)}</p>}
      {waits && me.admin && server.digest && (
        <button type="button" className="plain small" disabled={approve.isPending} onClick={() => approve.mutate()}>
          Let it run
        </button>
      )}
    </li>
  );
}
