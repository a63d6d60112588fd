// The page put together: who is here, and which part of it is shown.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, type ReactNode } from "react";
import { ApiError, call, messageOf } from "./api/client";
import { meQuery } from "./api/queries";
import type { Me, SignedOut } from "./api/types";
import { Chat } from "./chat/Chat";
import { Nowhere, Problem, SignInForm } from "./chat/Gate";
import { featurePage } from "./features/features";
import { parse, useHash } from "./route";

const Admin = lazy(() => import("./admin/Admin"));
const Knowledge = lazy(() => import("./knowledge/Knowledge"));
const Replay = lazy(() => import("./replay/Replay"));
const Schedules = lazy(() => import("./schedules/Schedules"));
const SharedPage = lazy(() => import("./sharing/SharedPage"));
const PrintPage = lazy(() => import("./sharing/PrintPage"));
const Settings = lazy(() => import("./settings/Settings"));

export function App(): ReactNode {
  const client = useQueryClient();
  const { data: me, error, refetch } = useQuery(meQuery);
  const route = parse(useHash());
  const admin = /\/admin\/?$/.test(window.location.pathname);
  const again = () => void refetch();
  const leave = async () => {
    const left = await call<SignedOut>("api/sign-out", {}).catch(() => null);
    if (left?.provider_url) window.location.assign(left.provider_url);
    window.location.hash = "#/";
    client.clear();
    again();
  };
  const signedOut = error instanceof ApiError && error.status === 401;
  const covered = useRef(false);
  useEffect(() => {
    if (covered.current && !signedOut) document.getElementById("question")?.focus();
    covered.current = signedOut;
  }, [signedOut]);
  if (error && !signedOut && !me) return <Problem message={messageOf(error)} again={again} />;
  if (!me && !signedOut) return null;
  if (admin && me && !me.admin) return <SignInForm operator onSignedIn={again} />;
  // Whoever has a link reads, signed in or not.
  if (route.view === "shared" && !admin) {
    return (
      <Suspense fallback={null}>
        <SharedPage key={route.token} token={route.token} />
      </Suspense>
    );
  }
  const refused = () => void client.invalidateQueries({ queryKey: meQuery.queryKey });
  // What was typed must be there after signing in again: the page stays, covered.
  return (
    <>
      {signedOut && <SignInForm operator={admin} onSignedIn={again} />}
      {me && (
        <div hidden={signedOut} className="contents-shown">
          <Suspense fallback={null}>
            {admin ? (
              <Admin route={route} me={me} />
            ) : route.view === "settings" ? (
              <Settings me={me} />
            ) : route.view === "print" ? (
              <PrintPage key={route.session} session={route.session} />
            ) : route.view === "inbox" ? (
              <Schedules />
            ) : route.view === "knowledge" ? (
              <Knowledge me={me} />
            ) : route.view === "replay" ? (
              <Replay key={`${route.turn} ${route.other}`} turn={route.turn} other={route.other} />
            ) : route.view === "feature" ? (
              <FeaturePage name={route.name} path={route.path} me={me} />
            ) : route.view === "chat" ? (
              <Chat
                session={route.session}
                turn={route.turn ?? null}
                draft={route.draft ?? null}
                me={me}
                onLeave={() => void leave()}
                onRefused={refused}
              />
            ) : (
              <Nowhere />
            )}
          </Suspense>
        </div>
      )}
    </>
  );
}

function FeaturePage({ name, path, me }: { name: string; path: readonly string[]; me: Me }): ReactNode {
  const Page = featurePage(me, name);
  return Page ? <Page me={me} path={path} /> : <Nowhere />;
}
