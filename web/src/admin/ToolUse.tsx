import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { duration } from "../turn/words";
import { Period } from "./Period";
import { figuresQuery } from "./queries";
import { percent } from "./Tiles";

export function ToolUse(): ReactNode {
  const [days, setDays] = useState(30);
  const { data } = useQuery(figuresQuery(days));
  const most = Math.max(1, ...(data?.tools.map((tool) => tool.calls) ?? []));
  return (
    <div className="admin-page">
      <div className="filters">
        <p className="hint">
          {data ? `Of the newest ${data.turns_read.toLocaleString("en")} turns that are over.` : ""}
        </p>
        <span className="grow" />
        <Period days={days} onDays={setDays} />
      </div>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="Tools">
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col">Use</th>
              <th scope="col" className="figure-cell">
                Calls
              </th>
              <th scope="col" className="figure-cell">
                Success
              </th>
              <th scope="col" className="figure-cell">
                Cached
              </th>
              <th scope="col" className="figure-cell">
                p50
              </th>
            </tr>
          </thead>
          <tbody>
            {data?.tools.map((tool) => (
              <tr key={tool.tool}>
                <td>
                  <code>{tool.tool}</code>
                </td>
                <td className="wide-cell">
                  <span className="bar-track" aria-hidden="true">
                    <span className="bar-fill act" style={{ width: `${(100 * (tool.calls - tool.failed)) / most}%` }} />
                    <span className="bar-fill trouble" style={{ width: `${(100 * tool.failed) / most}%` }} />
                  </span>
                </td>
                <td className="figure-cell">{tool.calls.toLocaleString("en")}</td>
                <td className="figure-cell">{percent(tool.calls - tool.failed, tool.calls)}</td>
                <td className="figure-cell">{tool.cached.toLocaleString("en")}</td>
                <td className="figure-cell">{tool.p50_ms === null ? "–" : duration(tool.p50_ms / 1000)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {data && !data.tools.length && <p className="hint">No tool was used in this time.</p>}
    </div>
  );
}
