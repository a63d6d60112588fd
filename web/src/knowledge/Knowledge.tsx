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

export default function Knowledge({ me }: { me: Me }): ReactNode {
  const { data, error } = useQuery({ ...collectionsQuery, staleTime: 0 });
  const [adding, setAdding] = useState(false);
  const [made, setMade] = useState("");
  useEffect(() => {
    document.title = "Knowledge · Glassloop";
  }, []);
  const mine = data?.collections.filter((one) => one.mine) ?? [];
  const shared = data?.collections.filter((one) => !one.mine) ?? [];
  return (
    <div className="settings" id="knowledge">
      <header className="admin-bar">
        <Brand>
          <span className="where">Knowledge</span>
        </Brand>
        <span className="grow" />
        <a className="quiet" href="#/">
          Back to the chat
        </a>
      </header>
      <main className="settings-main knowledge">
        <h1 className="unseen">Knowledge</h1>
        <section aria-labelledby="collections-title">
          <h2 id="collections-title">Collections</h2>
          <p className="hint">
            Files that answers can be looked up in. Type <code>#</code> in a question to use one, or let an assistant
            search it every time.
          </p>
          {error && (
            <p className="problem" role="alert">
              {messageOf(error)}
            </p>
          )}
          {data && !mine.length && !adding && <p className="hint">You have no collections yet.</p>}
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
              New collection
            </button>
          )}
        </section>
        {shared.length > 0 && (
          <section aria-labelledby="shared-title">
            <h2 id="shared-title">Shared with you</h2>
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
