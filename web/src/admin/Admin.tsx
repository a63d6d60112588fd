// For those who review and operate: everybody's sessions, figures, what runs now.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, type ReactNode } from "react";
import { ROOT } from "../api/client";
import type { LiveTurn, Me } from "../api/types";
import type { Route } from "../route";
import { Brand } from "../ui/icons";
import { Access } from "./Access";
import { Audit } from "./Audit";
import { DeadLetters } from "./DeadLetters";
import { Evals } from "./Evals";
import { Live } from "./Live";
import { Operations } from "./Operations";
import { Overview } from "./Overview";
import { liveQuery } from "./queries";
import { Sessions } from "./Sessions";
import { ToolUse } from "./ToolUse";
import { Users } from "./Users";
import { t } from "../language/t";

const PLACES = [
  ["#/overview", t("Overview")],
  ["#/sessions", t("Sessions")],
  ["#/tools", t("Tools")],
  ["#/evals", t("Evals")],
  ["#/users", t("Users")],
  ["#/access", t("Access")],
  ["#/audit", t("Audit")],
  ["#/operations", t("Operations")],
  ["#/dead-letters", t("Dead letters")],
  ["#/live", t("Live")],
] as const;

// What only waits for a person does not run.
function pulse(live: readonly LiveTurn[]): string {
  const waiting = live.filter((turn) => turn.status === "paused").length;
  const running = live.length - waiting;
  return [running || !waiting ? t("{0} running", running) : "", waiting ? t("{0} waiting", waiting) : ""]
    .filter(Boolean)
    .join(" · ");
}

export default function Admin({ route, me }: { route: Route; me: Me }): ReactNode {
  const { data: live } = useQuery(liveQuery);
  const here = {
    chat: "#/sessions",
    list: "#/sessions",
    overview: "#/overview",
    live: "#/live",
    tools: "#/tools",
    evals: "#/evals",
    access: "#/access",
    users: "#/users",
    audit: "#/audit",
    operations: "#/operations",
    "dead-letters": "#/dead-letters",
    settings: "",
    inbox: "",
    knowledge: "",
    feature: "",
    print: "",
    shared: "",
    replay: "",
    nowhere: "",
  }[route.view];
  useEffect(() => {
    document.title = t("Admin · Glassloop");
  }, []);
  // On a small screen the places are wider than it.
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    nav.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [here]);
  return (
    <div className="admin">
      <header className="admin-bar">
        <Brand>
          <span className="where">{t("Admin")}</span>
        </Brand>
        <nav ref={nav} aria-label={t("Admin")}>
          {PLACES.map(([href, name]) => (
            <a key={href} href={href} aria-current={href === here ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <span className="grow" />
        <a className="quiet" href={ROOT}>
          {t("Chat{0}", me.auth === "local" ? "" : t(" as {0}", me.user))}
        </a>
        <a className="pill" href="#/live">
          {pulse(live ?? [])}
        </a>
      </header>
      <main className="admin-main">
        <h1 className="unseen">{t("Admin")}</h1>
        {route.view === "overview" ? (
          <Overview />
        ) : route.view === "tools" ? (
          <ToolUse />
        ) : route.view === "evals" ? (
          <Evals run={route.run} other={route.other} />
        ) : route.view === "users" ? (
          <Users />
        ) : route.view === "access" ? (
          <Access />
        ) : route.view === "audit" ? (
          <Audit />
        ) : route.view === "operations" ? (
          <Operations />
        ) : route.view === "dead-letters" ? (
          <DeadLetters />
        ) : route.view === "live" ? (
          <Live />
        ) : route.view === "list" || route.view === "chat" ? (
          <Sessions session={route.session} />
        ) : (
          <div className="admin-page">
            <h2>{t("Page not found")}</h2>
            <p className="hint">
              {t("No admin page has the address ")}
              <code>{window.location.hash.slice(0, 200)}</code>.
            </p>
          </div>
        )}
      </main>
    </div>
  );
}
