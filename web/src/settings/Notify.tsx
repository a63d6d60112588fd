// Notifications of this browser: asked for only when somebody turns them on.

import { useState, type ReactNode } from "react";
import { canNotify } from "../chat/attention";
import { prefer, usePreferences } from "../preferences";
import { NotifyAddress } from "./NotifyAddress";
import { t } from "../language/t";

const REFUSED = t(
  "This browser blocks notifications from this page: allow them in its site settings, then turn this on.",
);

export function Notify(): ReactNode {
  const { notify } = usePreferences();
  const [problem, setProblem] = useState("");
  const can = canNotify();
  const on = can && notify && Notification.permission === "granted";
  const turn = async (wanted: boolean) => {
    const granted = wanted && (await Notification.requestPermission()) === "granted";
    setProblem(wanted && !granted ? REFUSED : "");
    prefer({ notify: granted });
  };
  return (
    <section aria-labelledby="notify-title">
      <h2 id="notify-title">{t("Notifications")}</h2>
      <label className="switch">
        <input
          type="checkbox"
          role="switch"
          checked={on}
          disabled={!can}
          onChange={(event) => void turn(event.target.checked)}
        />
        <span>{t("Notify me when an answer is ready or needs me while I'm away from the tab")}</span>
      </label>
      <p className="hint">
        {can
          ? t("For the conversation open in a tab of this browser. The tab's title shows a dot either way.")
          : t("Browsers only show notifications from pages served over https or from this machine.")}
      </p>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <NotifyAddress />
    </section>
  );
}
