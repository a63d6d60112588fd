// What a person asked: Markdown as they wrote it, code in a fixed width, and a long text folded to its beginning.

import { useMemo, useState, type ReactNode } from "react";
import { Markdown } from "../markdown/Markdown";
import { folded, withFences } from "./questionText";
import { t } from "../language/t";

export function QuestionText({ text }: { text: string }): ReactNode {
  const [open, setOpen] = useState(false);
  const whole = useMemo(() => withFences(text), [text]);
  const short = useMemo(() => folded(whole), [whole]);
  return (
    <>
      <div className={`chat__message-text${short !== null && !open ? " cut-off" : ""}`}>
        <Markdown source={open ? whole : (short ?? whole)} />
      </div>
      {short !== null && (
        <button type="button" className="more" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t("Show less") : t("Show more")}
        </button>
      )}
    </>
  );
}
