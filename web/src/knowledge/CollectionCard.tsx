// One collection: what is in it, who may read it, which assistants search it, and removing it.

import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { call, id, messageOf } from "../api/client";
import { assistantsQuery } from "../api/queries";
import type { CollectionChange, CollectionView, Me } from "../api/types";
import { sizeOf } from "../attachments/attached";
import { count, exact, nameOf } from "../turn/words";
import { Dialog } from "../ui/Dialog";
import { CollectionContents } from "./CollectionContents";
import { useChange } from "./queries";
import { ReadersField, readersOf } from "./ReadersField";
import { t } from "../language/t";

interface Props {
  readonly me: Me;
  readonly one: CollectionView;
  readonly readers: readonly string[];
  readonly open: boolean;
}

export function CollectionCard({ me, one, readers, open: opened }: Props): ReactNode {
  const [open, setOpen] = useState(opened);
  const [removing, setRemoving] = useState(false);
  const path = `api/collections/${id(one.id)}`;
  const change = useChange((given: CollectionChange) => call(path, given, "PATCH"));
  const remove = useChange(() => call(path, undefined, "DELETE"));
  const whose = one.mine ? readersOf(one.readers) : `by ${exact(one.owner)}`;
  const error = change.error ?? remove.error;
  // What was just chosen is shown at once: a box that only changes later loses the focus, or looks broken.
  const asked = change.isPending ? change.variables : {};
  const given = asked.assistants ?? one.assistants;
  return (
    <li>
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <b>#{one.name}</b>
          <span className="hint">
            {[count(one.files, "file"), sizeOf(one.size), count(one.passages, "passage"), whose].join(" · ")}
          </span>
        </summary>
        {open && (
          <>
            {one.description && <p>{exact(one.description)}</p>}
            <CollectionContents me={me} one={one} />
            {one.mine && (
              <ReadersField
                value={asked.readers ?? one.readers}
                readers={readers}
                onChange={(who) => change.mutate({ readers: who })}
              />
            )}
            <Assistants given={given} onChange={(assistants) => change.mutate({ assistants })} />
            {error && (
              <p className="problem" role="alert">
                {messageOf(error)}
              </p>
            )}
            {one.mine && (
              <button type="button" className="plain small" onClick={() => setRemoving(true)}>
                {t("Delete collection…")}
              </button>
            )}
          </>
        )}
      </details>
      {removing && (
        <Dialog label={t("Delete #{0}", one.name)} onClose={() => setRemoving(false)}>
          <h2>{t("Delete #{0}?", one.name)}</h2>
          <p>{t("{0} will be deleted permanently. This can't be undone.", count(one.files, "file"))}</p>
          <div className="choices">
            <button type="button" className="plain" data-first onClick={() => setRemoving(false)}>
              {t("Cancel")}
            </button>
            <button
              type="button"
              className="primary"
              disabled={remove.isPending}
              onClick={() => {
                setRemoving(false);
                // Nobody asks for its files again.
                setOpen(false);
                remove.mutate(undefined);
              }}
            >
              {t("Delete permanently")}
            </button>
          </div>
        </Dialog>
      )}
    </li>
  );
}

interface AssistantsProps {
  readonly given: readonly string[];
  readonly onChange: (assistants: readonly string[]) => void;
}

// Those that search it whenever one asks them. A choice for oneself: others make their own.
function Assistants({ given, onChange }: AssistantsProps): ReactNode {
  const { data: assistants = [] } = useQuery(assistantsQuery);
  return (
    <fieldset className="collection-assistants">
      <legend>{t("Assistants that search it for every question")}</legend>
      {assistants.map(({ name }) => (
        <label key={name}>
          <input
            type="checkbox"
            checked={given.includes(name)}
            onChange={(event) =>
              onChange(event.target.checked ? [...given, name] : given.filter((other) => other !== name))
            }
          />
          {nameOf(name)}
        </label>
      ))}
    </fieldset>
  );
}
