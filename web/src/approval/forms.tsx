// Other arguments than those shown, and a reason for saying no.

import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { t } from "../language/t";

type Args = Readonly<Record<string, unknown>>;

interface Field {
  readonly name: string;
  readonly isText: boolean;
  readonly value: string;
}

// Every parameter in a field of its own: text as it is, anything else as JSON.
const fieldsOf = (args: Args): readonly Field[] =>
  Object.entries(args).map(([name, given]) => {
    const isText = typeof given === "string";
    return { name, isText, value: isText ? given : (JSON.stringify(given, null, 2) ?? "") };
  });

interface EditProps {
  readonly args: Args;
  /** Whether the tool shows what it would do: then other arguments are shown before they are approved. */
  readonly shows: boolean;
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly onProblem: (text: string) => void;
  readonly onSend: (args: Record<string, unknown>) => void;
}

export function EditForm({ args, shows, busy, onBack, onProblem, onSend }: EditProps): ReactNode {
  const [fields, setFields] = useState(() => fieldsOf(args));
  const form = useRef<HTMLFormElement>(null);
  const label = useId();
  useEffect(() => form.current?.querySelector<HTMLElement>("textarea, button")?.focus(), []);
  const submit = () => {
    try {
      onSend(Object.fromEntries(fields.map((field) => [field.name, field.isText ? field.value : parsed(field)])));
    } catch (error) {
      onProblem(error instanceof Error ? error.message : String(error));
    }
  };
  const put = (name: string, value: string) =>
    setFields(fields.map((one) => (one.name === name ? { ...one, value } : one)));
  return (
    <form ref={form} className="decision" action={submit}>
      {fields.map((field, place) => (
        <p key={field.name}>
          <label htmlFor={`${label}-${place}`}>{field.isText ? field.name : t("{0} (JSON)", field.name)}</label>
          <textarea
            id={`${label}-${place}`}
            rows={Math.min(12, field.value.split("\n").length)}
            value={field.value}
            onChange={(event) => put(field.name, event.target.value)}
          />
        </p>
      ))}
      <Buttons label={shows ? t("Show what this does") : t("Approve with changes")} busy={busy} onBack={onBack} />
    </form>
  );
}

export function RefuseForm({
  busy,
  onBack,
  onSend,
}: {
  busy: boolean;
  onBack: () => void;
  onSend: (reason: string) => void;
}): ReactNode {
  const [reason, setReason] = useState("");
  const label = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const key = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (!busy) onSend(reason);
  };
  return (
    <form className="decision" action={() => onSend(reason)}>
      <p>
        <label htmlFor={label}>{t("Why not? The model is told. Optional; Enter refuses.")}</label>
        <textarea
          id={label}
          ref={area}
          rows={2}
          maxLength={2000}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={key}
        />
      </p>
      <Buttons label={t("Refuse")} busy={busy} onBack={onBack} />
    </form>
  );
}

function Buttons({ label, busy, onBack }: { label: string; busy: boolean; onBack: () => void }): ReactNode {
  return (
    <div className="choices">
      <button type="submit" className="primary" disabled={busy}>
        {label}
      </button>
      <button type="button" className="plain" onClick={onBack}>
        {t("Back")}
      </button>
    </div>
  );
}

function parsed({ name, value }: Field): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      t("{0} is not valid JSON ({1}): put text in quotes, or enter a number, a list or an object.", name, why),
    );
  }
}
