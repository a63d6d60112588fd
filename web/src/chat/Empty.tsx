// Instead of turns: what one can do here, or why there is nothing.

import type { ReactNode } from "react";
import type { ApiError } from "../api/client";
import type { AssistantView } from "../api/types";
import { FirstModel } from "../models/FirstModel";
import { nameOf } from "../turn/words";
import { t } from "../language/t";

const OFFERED = 3;

export function Empty({
  assistant,
  name,
  onAsk,
}: {
  assistant: AssistantView | null;
  name: string;
  onAsk: (question: string) => void;
}): ReactNode {
  const offered = assistant?.questions.slice(0, OFFERED) ?? [];
  return (
    <section className="empty">
      <h2>{t("Ask {0}", nameOf(name))}</h2>
      <p>{assistant?.description || t("Ask, and watch every step.")}</p>
      {offered.length > 0 && <p className="hint">{t("For example:")}</p>}
      <ul>
        {offered.map((question) => (
          <li key={question}>
            <button type="button" className="plain" onClick={() => onAsk(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
      <FirstModel />
      <Legend />
    </section>
  );
}

// What the colours mean, before the first answer shows it.
function Legend(): ReactNode {
  return (
    <div className="legend">
      <div className="rail picture" aria-hidden="true">
        <span className="segment think" style={{ flexGrow: 3 }} />
        <span className="segment act" style={{ flexGrow: 1 }} />
        <span className="segment think" style={{ flexGrow: 2 }} />
        <span className="segment act" style={{ flexGrow: 1 }} />
        <span className="segment answer" style={{ flexGrow: 4 }} />
      </div>
      <p className="hint">
        {t("Every answer shows its steps: ")}
        <b className="think">{t("think")}</b>, <b className="act">{t("act")}</b>,{" "}
        <b className="answer">{t("answer")}</b>
        {t("; what tools found is ")}
        <b className="observe">{t("green")}</b>
        {t(". Figures are underlined: select one to see where it came from.")}
      </p>
    </div>
  );
}

export function NotThere({ error, onNew }: { error: ApiError; onNew: () => void }): ReactNode {
  const gone = error.status === 404 || error.status === 422 || error.status === 400;
  return (
    <section className="empty" role="alert">
      <h2>{t("This conversation cannot be shown")}</h2>
      <p>{gone ? t("This conversation does not exist, or belongs to someone else.") : error.message}</p>
      <button type="button" className="primary" onClick={onNew}>
        {t("New chat")}
      </button>
    </section>
  );
}
