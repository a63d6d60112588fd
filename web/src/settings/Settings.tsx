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
import { LANGUAGES, t } from "../language/t";

const KEYS = [
  ["/", t("commands: ↑ ↓ to choose, Tab or Enter to complete")],
  [t("Ctrl-K or ⌘K"), t("search conversations, go to anything")],
  ["Enter", t("send; approve when an approval has the focus")],
  ["Shift-Enter", t("new line")],
  ["↑", t("in an empty field: edit the last question")],
  ["Esc", t("stop what is running")],
  ["j, k", t("move through the steps of a trace")],
  ["← →", t("move along the timeline and through a replay")],
  [
    t("+ − 0, arrows"),
    t("on a map: zoom in, zoom out, show everything, move. The wheel zooms while Ctrl or ⌘ is held"),
  ],
] as const;

export default function Settings({ me }: { me: Me }): ReactNode {
  useEffect(() => {
    document.title = t("Settings · Glassloop");
  }, []);
  return (
    <div className="settings">
      <header className="admin-bar">
        <Brand>
          <span className="where">{t("Settings")}</span>
        </Brand>
        <span className="grow" />
        <a className="quiet" href="#/">
          {t("Back to chat")}
        </a>
      </header>
      <main className="settings-main">
        <h1 className="unseen">{t("Settings")}</h1>
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
          <h2 id="keys-title">{t("Keyboard shortcuts")}</h2>
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
  const choice = <K extends "theme" | "density" | "sendKey" | "language">(
    name: K,
    label: string,
    options: readonly (readonly [Preferences[K], string])[],
  ) => (
    <fieldset className="choice">
      <legend>{label}</legend>
      {options.map(([value, shown]) => (
        <label key={value}>
          <input type="radio" name={name} checked={chosen[name] === value} onChange={() => change(name, value)} />
          <span>{shown}</span>
        </label>
      ))}
    </fieldset>
  );
  // Texts are made once, with the page.
  const change = (name: string, value: string) => {
    prefer({ [name]: value });
    if (name === "language") window.location.reload();
  };
  return (
    <section aria-labelledby="appearance-title">
      <h2 id="appearance-title">{t("Appearance")}</h2>
      {choice("theme", t("Theme"), [
        ["auto", t("System")],
        ["light", t("Light")],
        ["dark", t("Dark")],
      ])}
      {choice("density", t("Density"), [
        ["calm", t("Comfortable")],
        ["dense", t("Compact")],
      ])}
      {choice("language", t("Language"), [["auto", t("System")], ...Object.entries(LANGUAGES)])}
      {choice("sendKey", t("Send with"), [
        ["enter", "Enter"],
        ["ctrl-enter", "Ctrl-Enter"],
      ])}
    </section>
  );
}
