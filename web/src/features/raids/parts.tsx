// Small parts that all places of raids share: a player's name with the class, a bar, the way back, a failure.

import type { ReactNode } from "react";
import { messageOf } from "../../api/client";
import { exact } from "../../turn/words";
import { classColour } from "./classes";
import { t } from "../../language/t";

export function ClassMark({ name }: { name: string }): ReactNode {
  const colour = classColour(name);
  return <span className="class-mark" aria-hidden="true" style={colour ? { background: colour } : undefined} />;
}

export function PlayerName({ name, className, href }: { name: string; className: string; href?: string }): ReactNode {
  return (
    <span className="player-name">
      <ClassMark name={className} />
      {href ? <a href={href}>{exact(name)}</a> : exact(name)}
    </span>
  );
}

// The value stands beside it as text.
export function Bar({ part, kind = "soft" }: { part: number; kind?: string }): ReactNode {
  return (
    <span className="raid-bar" aria-hidden="true">
      <span className={kind} style={{ width: `${Math.max(0, Math.min(100, 100 * part))}%` }} />
    </span>
  );
}

export function Crumbs({ places }: { places: readonly (readonly [string, string])[] }): ReactNode {
  return (
    <nav className="crumbs" aria-label={t("Where this is")}>
      <ol>
        {places.map(([name, href]) => (
          <li key={href}>
            <a className="quiet" href={href}>
              {exact(name)}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}

export function Failure({ error }: { error: unknown }): ReactNode {
  return error ? (
    <p className="problem" role="alert">
      {messageOf(error)}
    </p>
  ) : null;
}

export function Missing({ missing }: { missing: readonly string[] }): ReactNode {
  if (!missing.length) return null;
  return (
    <aside className="raid-missing" aria-label={t("Not in this log")}>
      <p>{t("Not in this log:")}</p>
      <ul>
        {missing.map((one) => (
          <li key={one}>{exact(one)}</li>
        ))}
      </ul>
    </aside>
  );
}

// A table that scrolls by itself where it is wider than the page.
export function Wide({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <div className="raid-wide" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
