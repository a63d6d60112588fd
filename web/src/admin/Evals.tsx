// Runs of `glassloop eval`: how good, how sure that is, what went wrong; two of them beside each other.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "../api/client";
import type { FailedCase, StoredRun, RunView } from "../api/types";
import { go } from "../route";
import { count, duration, fileOf, when } from "../turn/words";
import { Compared } from "./Compared";
import { runQuery, runsQuery } from "./queries";
import { NAMES, Share } from "./Share";
import { t } from "../language/t";

const MEASURES = ["destination", "tool", "arguments", "answer", "passed"] as const;

const link = (run: string, other?: string | null) =>
  `#/evals/${encodeURIComponent(run)}${other ? `/${encodeURIComponent(other)}` : ""}`;

export function Evals({ run, other }: { run: string | null; other: string | null }): ReactNode {
  const { data = [], error, isPending } = useQuery(runsQuery);
  return (
    <div className="admin-page">
      {error && (
        <p className="problem" role="alert">
          {messageOf(error)}
        </p>
      )}
      {!isPending && !data.length && (
        <section className="empty-admin">
          <h2>{t("No run yet")}</h2>
          <p>
            <code>glassloop eval tools40 -m MODEL</code>
            {t(" asks 40 questions and grades tools, arguments and answers. Its runs appear here.")}
          </p>
        </section>
      )}
      {data.length > 0 && <Runs runs={data} run={run} />}
      {run && other && <Compared before={other} after={run} />}
      {run && <One run={run} runs={data} other={other} />}
    </div>
  );
}

function Runs({ runs, run }: { runs: readonly StoredRun[]; run: string | null }): ReactNode {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t("Runs")}>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">{t("Started")}</th>
            <th scope="col">{t("Suite")}</th>
            <th scope="col">{t("Model")}</th>
            <th scope="col" className="figure-cell">
              {t("Cases")}
            </th>
            {MEASURES.map((name) => (
              <th key={name} scope="col" className="figure-cell">
                {NAMES[name]}
              </th>
            ))}
            <th scope="col" className="figure-cell">
              {t("Median")}
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((one) => (
            <tr key={one.name} aria-current={one.name === run ? "true" : undefined}>
              <td>
                <a href={link(one.name)}>{one.started_at ? when(one.started_at) : one.name}</a>
              </td>
              {one.summary ? (
                <>
                  <td>{fileOf(one.suite)}</td>
                  <td>{one.model}</td>
                  <td className="figure-cell">{one.summary.cases}</td>
                  {MEASURES.map((name) => (
                    <td key={name} className="figure-cell">
                      <Share rate={one.summary?.[name] ?? null} />
                    </td>
                  ))}
                  <td className="figure-cell">{duration(one.summary.seconds.median)}</td>
                </>
              ) : (
                <td colSpan={4 + MEASURES.length}>
                  {one.problem || t("{0} with {1}: nothing asked yet", fileOf(one.suite), one.model)}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function One({ run, runs, other }: { run: string; runs: readonly StoredRun[]; other: string | null }): ReactNode {
  const { data, error } = useQuery(runQuery(run));
  const here = runs.find((one) => one.name === run);
  const like = runs.filter((one) => one.name !== run && one.summary && (!here || one.suite === here.suite));
  if (error)
    return (
      <p className="problem" role="alert">
        {messageOf(error)}
      </p>
    );
  if (!data) return null;
  return (
    <section className="eval-run" aria-label={t("Run")}>
      <div className="filters">
        <h2>{t("{0} with {1}", fileOf(data.head.suite), data.head.model)}</h2>
        <span className="hint">{`${data.head.assistant} · ${data.head.protocol} · ${count(data.head.offered, "tool")}`}</span>
        <span className="grow" />
        {like.length > 0 && (
          <label className="filter">
            <span className="unseen">{t("Compare with")}</span>
            <select value={other ?? ""} onChange={(event) => go(link(run, event.target.value || null))}>
              <option value="">{t("Compare with…")}</option>
              {like.map((one) => (
                <option key={one.name} value={one.name}>{`${one.model}, ${when(one.started_at)}`}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      <Tags run={data} />
      <h3>{data.missed ? t("{0} with failures", count(data.missed, "case")) : t("No failures.")}</h3>
      <ul className="misses">
        {data.misses.map((miss) => (
          <Missed key={`${miss.case}-${miss.run}`} miss={miss} />
        ))}
      </ul>
      {data.missed > data.misses.length && <p className="hint">{t("The first {0} are shown.", data.misses.length)}</p>}
    </section>
  );
}

function Tags({ run }: { run: RunView }): ReactNode {
  const tags = Object.entries(run.tags);
  if (tags.length < 2) return null;
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={t("By tag")}>
      <table className="list">
        <thead>
          <tr>
            <th scope="col">{t("Tag")}</th>
            <th scope="col" className="figure-cell">
              {t("Cases")}
            </th>
            {MEASURES.map((name) => (
              <th key={name} scope="col" className="figure-cell">
                {NAMES[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tags.map(([tag, one]) => (
            <tr key={tag}>
              <td>{tag}</td>
              <td className="figure-cell">{one.cases}</td>
              {MEASURES.map((name) => (
                <td key={name} className="figure-cell">
                  <Share rate={one[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Missed({ miss }: { miss: FailedCase }): ReactNode {
  return (
    <li>
      <p>
        <code>{miss.case}</code> <span>{miss.question}</span>
      </p>
      <ul>
        {miss.problems.map((problem, place) => (
          <li key={place}>
            <b>{problem.part}</b>
            {t(": expected {0}, got {1}", problem.expected, problem.got)}
          </li>
        ))}
      </ul>
      <a className="quiet" href={`#/sessions/${encodeURIComponent(miss.session_id)}`}>
        {t("See its session")}
      </a>
    </li>
  );
}
