// Notifications of this browser: asked for only when somebody turns them on.

import { useState, type ReactNode } from "react";
import { canNotify } from "../chat/attention";
import { prefer, usePreferences } from "../preferences";

const REFUSED = "This browser blocks notifications of this page: allow them in its site settings, then turn this on.";

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
      <h2 id="notify-title">Notifications</h2>
      <label className="switch">
        <input
          type="checkbox"
          role="switch"
          checked={on}
          disabled={!can}
          onChange={(event) => void turn(event.target.checked)}
        />
        <span>Notify me when an answer is ready or needs me, while I look elsewhere</span>
      </label>
      <p className="hint">
        {can
          ? "For the conversation that is open in a tab of this browser. The tab's title has a dot in any case."
          : "Browsers show notifications only of pages that come over https or from this machine."}
      </p>
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
