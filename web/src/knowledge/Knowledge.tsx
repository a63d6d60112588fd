// Knowledge: the collections one may read, what is in them, and a form for a new one.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import { messageOf } from "../api/client";
import type { Me } from "../api/types";
import { Brand } from "../ui/icons";
import { CollectionCard } from "./CollectionCard";
import { NewCollectionForm } from "./NewCollectionForm";
import { collectionsQuery } from "./queries";
import "./knowledge.css";
import { t } from "../language/t";

export default function Knowledge({ me }: { me: Me }): ReactNode {
  const { data, error } = useQuery({ ...collectionsQuery, staleTime: 0 });
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState("");
  useEffect(() => {
    document.title = t("Knowledge · Glassloop");
  }, []);
  const mine = data?.collections.filter((one) => one.mine) ?? [];
  const shared = data?.collections.filter((one) => !one.mine) ?? [];
  return (
    <div className="settings" id="knowledge">
      <header className="admin-bar">
        <Brand>
          <span className="where">{t("Knowledge")}</span>
        </Brand>
        <span className="grow" />
        <a className="quiet" href="#/">
          {t("Back to chat")}
        </a>
      </header>
      <main className="settings-main knowledge">
        <h1 className="unseen">{t("Knowledge")}</h1>
        <section aria-labelledby="collections-title">
          <h2 id="collections-title">{t("Collections")}</h2>
          <p className="hint">
            {t("Files that assistants can search for answers. Type ")}
            <code>#</code>
            {t(" in a question to use one, or let an assistant search it every time.")}
          </p>
          {error && (
            <p className="problem" role="alert">
              {messageOf(error)}
            </p>
          )}
          {data && !mine.length && !adding && <p className="hint">{t("You have no collections yet.")}</p>}
          <ul className="cards">
            {mine.map((one) => (
              <CollectionCard key={one.id} {...{ me, one }} readers={data?.readers ?? []} open={one.id === made} />
            ))}
          </ul>
          {adding ? (
            <NewCollectionForm
              readers={data?.readers ?? []}
              onDone={(id) => {
                setAdding(false);
                setMade(id);
              }}
            />
          ) : (
            <button type="button" className="primary" onClick={() => setAdding(true)}>
              {t("New collection")}
            </button>
          )}
        </section>
        {shared.length > 0 && (
          <section aria-labelledby="shared-title">
            <h2 id="shared-title">{t("Shared with you")}</h2>
            <ul className="cards">
              {shared.map((one) => (
                <CollectionCard key={one.id} {...{ me, one }} readers={data?.readers ?? []} open={false} />
              ))}
            </ul>
          </section>
        )}
      </main>
    </div>
  );
}
