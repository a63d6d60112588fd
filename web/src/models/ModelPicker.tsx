// The model of a conversation: its name over the field; a list to search and choose from, with how long it may reason.

import { useQuery } from "@tanstack/react-query";
import { useState, type KeyboardEvent, type ReactNode } from "react";
import { availableQuery } from "../api/queries";
import type { AvailableModels, OfferedModel } from "../api/types";
import type { Effort } from "../preferences";
import type { Wanted } from "../turn/model";
import { Dialog } from "../ui/Dialog";
import type { ModelChoice } from "./choice";
import { t } from "../language/t";

const SHOWN = 100;
const EFFORTS: readonly (readonly [Effort, string])[] = [
  ["", t("Default effort")],
  ["low", t("Low effort")],
  ["medium", t("Medium effort")],
  ["high", t("High effort")],
];

export const short = (name: string): string => name.slice(name.indexOf(":") + 1);

export function ModelPicker({ chosen, choose }: ModelChoice): ReactNode {
  const { data } = useQuery(availableQuery);
  const [open, setOpen] = useState(false);
  if (!data) return null;
  const name = chosen.model || data.default;
  const efforts = data.models.find((one) => one.name === name)?.efforts ?? [];
  return (
    <>
      <button
        type="button"
        className="pill model-pill"
        aria-haspopup="dialog"
        title={t("{0} answers; choose another for this conversation", name)}
        onClick={() => setOpen(true)}
      >
        <span className="unseen">{t("Model: ")}</span>
        {short(name)}
      </button>
      {efforts.length > 0 && (
        <label className="model-choice">
          <span className="unseen">{t("Reasoning effort")}</span>
          <select
            value={chosen.effort}
            onChange={(event) => choose({ model: chosen.model, effort: event.target.value as Effort })}
          >
            {EFFORTS.filter(([value]) => !value || efforts.some((one) => one === value)).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {open && (
        <ModelList
          {...{ data, chosen }}
          onChoose={(wanted) => {
            choose(wanted);
            setOpen(false);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

interface ListProps {
  readonly data: AvailableModels;
  readonly chosen: Wanted;
  readonly onChoose: (wanted: Wanted) => void;
  readonly onClose: () => void;
}

export function ModelList({ data, chosen, onChoose, onClose }: ListProps): ReactNode {
  const [words, setWords] = useState("");
  const [at, setAt] = useState(0);
  const found = matching(data, words);
  const choose = (model: OfferedModel | undefined) => {
    if (!model) return;
    // The default is left to the server, so that the conversation follows it.
    const name = model.name === data.default ? "" : model.name;
    const keeps = model.efforts.some((one) => one === chosen.effort);
    onChoose({ model: name, effort: keeps ? chosen.effort : "" });
  };
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const next = Math.max(0, Math.min(Math.min(found.length, SHOWN) - 1, at + step));
      setAt(next);
      document.getElementById(`model-${next}`)?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(found[at]);
    }
  };
  return (
    <Dialog label={t("Choose a model")} onClose={onClose} className="palette">
      <input
        type="text"
        role="combobox"
        aria-label={t("Search models")}
        aria-expanded="true"
        aria-controls="model-list"
        aria-activedescendant={`model-${at}`}
        placeholder={t("Search models…")}
        value={words}
        autoFocus
        onChange={(event) => {
          setWords(event.target.value);
          setAt(0);
        }}
        onKeyDown={key}
      />
      <ul id="model-list" role="listbox" aria-label={t("Models")}>
        {found.slice(0, SHOWN).map((one, place) => (
          <li
            key={one.name}
            id={`model-${place}`}
            role="option"
            aria-selected={place === at}
            onClick={() => choose(one)}
            onMouseMove={() => setAt(place)}
          >
            <span>{short(one.name)}</span>
            <span className="hint">{aboutModel(one, data.default, chosen.model)}</span>
          </li>
        ))}
      </ul>
      {!found.length && <p className="hint">{t("No matches.")}</p>}
      {found.length > SHOWN && <p className="hint">{t("{0} more: type to narrow it down.", found.length - SHOWN)}</p>}
      {data.problems.map(({ provider, message }) => (
        <p key={provider} className="problem">{`${provider}: ${message}`}</p>
      ))}
    </Dialog>
  );
}

// All words in the name, the title or the provider. What answers by itself comes first.
export function matching({ models, default: first }: AvailableModels, words: string): readonly OfferedModel[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = models.filter(({ name, title }) => {
    const text = `${name} ${title}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
  return [...found.filter((one) => one.name === first), ...found.filter((one) => one.name !== first)];
}

function aboutModel({ name, provider, context_tokens }: OfferedModel, first: string, chosen: string): string {
  const parts = [
    name === (chosen || first) ? t("selected") : "",
    name === first ? t("default") : "",
    context_tokens ? `${Math.round(context_tokens / 1000).toLocaleString("en")}k` : "",
    provider === name ? "" : provider,
  ];
  return parts.filter(Boolean).join(" · ");
}
