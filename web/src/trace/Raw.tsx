import { useState, type ReactNode } from "react";
import type { AnyEvent } from "../api/events";
import { CopyButton } from "../ui/CopyButton";
import { t } from "../language/t";

export default function Raw({ events }: { events: readonly AnyEvent[] }): ReactNode {
  const all = () => events.map((event) => JSON.stringify(event)).join("\n");
  return (
    <div className="text-view">
      <CopyButton text={all} label={t("Copy all")} className="plain small" />
      <div className="raw">
        {events.map((event) => (
          <One key={event.seq} event={event} />
        ))}
      </div>
    </div>
  );
}

// Some events are long: one is written out when it is opened.
function One({ event }: { event: AnyEvent }): ReactNode {
  const [open, setOpen] = useState(false);
  const { type, turn_id: _turn, seq, at: _at, ...rest } = event;
  return (
    <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
      <summary>
        <span className="seq">{seq}</span>
        {type}
      </summary>
      {open && <pre tabIndex={0}>{JSON.stringify(rest, null, 2)}</pre>}
    </details>
  );
}
