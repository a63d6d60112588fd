// Collections of a question: a list that `#` opens over the field, and what is chosen as chips that can be taken off.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useState, type ReactNode } from "react";
import type { CollectionView } from "../api/types";
import { count } from "../turn/words";
import { Icon } from "../ui/icons";
import { wordAt, without, type ChosenCollections } from "./chosen";
import { collectionsQuery } from "./queries";
import "./picker.css";
import { t } from "../language/t";

const MOST = 8;
const LIST = "collection-list";

interface Props {
  readonly chosen: ChosenCollections;
  readonly text: string;
  readonly onText: (text: string) => void;
}

const fieldOf = () => document.getElementById("question") as HTMLTextAreaElement | null;

export function CollectionPicker({ chosen, text, onText }: Props): ReactNode {
  const { data } = useQuery({ ...collectionsQuery, enabled: text.includes("#") });
  const [at, setAt] = useState(0);
  const [closed, setClosed] = useState("");
  const field = fieldOf();
  const typed = closed === text ? null : wordAt(text, field?.selectionStart ?? text.length);
  const free = data?.collections.filter((one) => !chosen.names.includes(one.name)) ?? [];
  const found = typed ? free.filter((one) => one.name.includes(typed.word)).slice(0, MOST) : [];
  const place = Math.min(at, Math.max(found.length - 1, 0));
  const choose = (one: CollectionView) => {
    chosen.add(one.name);
    if (typed) onText(without(text, typed.from, typed.from + 1 + typed.word.length));
    window.setTimeout(() => fieldOf()?.focus(), 0);
  };
  useEffect(() => setAt(0), [typed?.word]);
  useListKeys(found, place, setAt, choose, () => setClosed(text));
  return (
    <>
      {found.length > 0 && (
        <ul className="commands" id={LIST} role="listbox" aria-label={t("Collections")}>
          {found.map((one, index) => (
            <li
              key={one.id}
              id={`${LIST}-${index}`}
              role="option"
              aria-selected={index === place}
              className="collection-option"
              onMouseDown={(event) => {
                event.preventDefault();
                choose(one);
              }}
            >
              <code>#{one.name}</code> <span>{one.description || count(one.files, "file")}</span>
            </li>
          ))}
        </ul>
      )}
      {chosen.names.length > 0 && <Chips chosen={chosen} />}
    </>
  );
}

function Chips({ chosen }: { chosen: ChosenCollections }): ReactNode {
  return (
    <ul className="attached chosen-collections" aria-label={t("Answered from")}>
      {chosen.names.map((name) => (
        <li key={name} className="attached-chip">
          <span className="attached-name">#{name}</span>
          <button
            type="button"
            className="attached-remove"
            aria-label={t("Remove #{0}", name)}
            onClick={() => {
              chosen.remove(name);
              fieldOf()?.focus();
            }}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}

// Keys of the field while the list is open; before the field itself takes them.
function useListKeys(
  found: readonly CollectionView[],
  place: number,
  move: (place: number) => void,
  choose: (one: CollectionView) => void,
  close: () => void,
): void {
  useLayoutEffect(() => {
    const field = fieldOf();
    if (!field || !found.length) return undefined;
    const pressed = (event: KeyboardEvent) => {
      if (event.target !== field || event.isComposing) return;
      const one = found[place];
      if (event.key === "ArrowDown") move((place + 1) % found.length);
      else if (event.key === "ArrowUp") move((place + found.length - 1) % found.length);
      else if ((event.key === "Enter" && !event.shiftKey) || event.key === "Tab") one && choose(one);
      else if (event.key === "Escape") close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    field.setAttribute("aria-controls", LIST);
    field.setAttribute("aria-activedescendant", `${LIST}-${place}`);
    window.addEventListener("keydown", pressed, { capture: true });
    return () => {
      window.removeEventListener("keydown", pressed, { capture: true });
      field.removeAttribute("aria-controls");
      field.removeAttribute("aria-activedescendant");
    };
  });
}
