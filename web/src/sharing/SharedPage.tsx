// A conversation that somebody shared by a link: to read, whoever one is.

import { useQuery } from "@tanstack/react-query";
import { useEffect, type ReactNode } from "react";
import { ApiError, call, messageOf } from "../api/client";
import type { SharedConversation } from "../api/types";
import { when } from "../turn/words";
import { Brand } from "../ui/icons";
import { Transcript } from "./Transcript";
import "./sharing.css";
import { t } from "../language/t";

export default function SharedPage({ token }: { token: string }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ["shared", token],
    queryFn: () => call<SharedConversation>("api/shared", { token }),
    retry: false,
    staleTime: Infinity,
  });
  useEffect(() => {
    // What only those with a link may read is not for search engines.
    const robots = document.createElement("meta");
    robots.name = "robots";
    robots.content = "noindex, nofollow";
    document.head.append(robots);
    return () => robots.remove();
  }, []);
  useEffect(() => {
    document.title = `${data?.title || t("Shared conversation")} · Glassloop`;
  }, [data]);
  if (error) return <Gone message={error instanceof ApiError && error.status === 404 ? "" : messageOf(error)} />;
  if (!data) return null;
  return (
    <div className="reading">
      <header className="reading-bar">
        <Brand />
        <span className="grow" />
        <span className="hint">
          {t("Shared ")}
          {when(data.shared_at)}
          {t(", read-only")}
        </span>
      </header>
      <main className="reading-main">
        <h1>{data.title || t("Untitled")}</h1>
        <Transcript turns={data.turns} />
        <p className="hint">{t("Answers come from a language model and can be wrong.")}</p>
      </main>
    </div>
  );
}

function Gone({ message }: { message: string }): ReactNode {
  return (
    <div className="gate">
      <main className="card">
        <Brand />
        <h1>{message ? t("Something went wrong") : t("This link doesn't work")}</h1>
        <p role="alert">{message || t("The conversation is no longer shared, or it was deleted.")}</p>
      </main>
    </div>
  );
}
