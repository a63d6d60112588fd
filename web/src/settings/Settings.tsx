// Settings: choices for this browser, the models of the server, and the sections that extensions bring.

import { Suspense, useEffect, type ReactNode } from "react";
import type { Me } from "../api/types";
import { prefer, usePreferences, type Preferences } from "../preferences";
import { Brand } from "../ui/icons";
import { settingsSections } from "../features/features";
import { DisplayName } from "./DisplayName";
import { Folders } from "./Folders";
import { ImportChats } from "./ImportChats";
import { Memory } from "./Memory";
import { Models } from "./Models";
import { Notify } from "./Notify";
import { Spending } from "./Spending";

const KEYS = [
  ["/", "commands: ↑ ↓ choose, Tab or Enter completes"],
  ["Ctrl-K or ⌘K", "search conversations, go to anything"],
  ["Enter", "send; on an approval that has the focus, approve"],
  ["Shift-Enter", "a new line"],
  ["Esc", "stop what runs"],
  ["j, k", "through the steps of a trace"],
  ["← →", "along the rail, and through a replay"],
  ["+ − 0, arrows", "on a map: larger, smaller, everything; move it. The wheel zooms while Ctrl or ⌘ is held"],
] as const;

export default function Settings({ me }: { me: Me }): ReactNode {
  useEffect(() => {
    document.title = "Settings · Glassloop";
  }, []);
  return (
    <div className="settings">
      <header className="admin-bar">
        <Brand>
          <span className="where">Settings</span>
        </Brand>
        <span className="grow" />
        <a className="quiet" href="#/">
          Back to the chat
        </a>
      </header>
      <main className="settings-main">
        <h1 className="unseen">Settings</h1>
        <Appearance />
        <Notify />
        <DisplayName me={me} />
        <Spending />
        <Models me={me} />
        <Memory />
        <ImportChats me={me} />
        <Folders me={me} />
        {settingsSections(me).map(([name, Section]) => (
          <Suspense key={name}>
            <Section me={me} />
          </Suspense>
        ))}
        <section aria-labelledby="keys-title">
          <h2 id="keys-title">Keys</h2>
          <dl className="keys">
            {KEYS.map(([key, what]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      </main>
    </div>
  );
}

function Appearance(): ReactNode {
  const chosen = usePreferences();
  const choice = <K extends "theme" | "density" | "sendKey">(
    name: K,
    label: string,
    options: readonly (readonly [Preferences[K], string])[],
  ) => (
    <fieldset className="choice">
      <legend>{label}</legend>
      {options.map(([value, shown]) => (
        <label key={value}>
          <input type="radio" name={name} checked={chosen[name] === value} onChange={() => prefer({ [name]: value })} />
          <span>{shown}</span>
        </label>
      ))}
    </fieldset>
  );
  return (
    <section aria-labelledby="appearance-title">
      <h2 id="appearance-title">Appearance</h2>
      {choice("theme", "Theme", [
        ["auto", "System"],
        ["light", "Light"],
        ["dark", "Dark"],
      ])}
      {choice("density", "Density", [
        ["calm", "Comfortable"],
        ["dense", "Compact"],
      ])}
      {choice("sendKey", "Send with", [
        ["enter", "Enter"],
        ["ctrl-enter", "Ctrl-Enter"],
      ])}
    </section>
  );
}
