// The part of the page that scrolls: with a shade where there is more below, and a way there.

import type { ReactNode } from "react";
import { Icon } from "../ui/icons";
import { useTemporary } from "./temporary";
import type { End } from "./useEnd";
import { t } from "../language/t";

function TemporaryNote(): ReactNode {
  return (
    useTemporary() && (
      <p className="temporary-note">
        <b>{t("Temporary chat.")}</b>
        {t(
          " It isn't listed, and nothing in it is remembered. It is deleted when you open another conversation or leave the page, and after a day at the latest.",
        )}
      </p>
    )
  );
}

interface Props {
  readonly end: End;
  // Whether anything was said: what a new chat begins with has no latest.
  readonly filled: boolean;
  readonly children: ReactNode;
}

export function Scrolled({ end, filled, children }: Props): ReactNode {
  return (
    <>
      <div
        className="conversation"
        id="conversation"
        ref={end.place}
        tabIndex={0}
        role="region"
        aria-label={t("Conversation")}
      >
        <div ref={end.content} className="column">
          <TemporaryNote />
          {children}
        </div>
      </div>
      {filled && end.more && (
        <div className="below">
          <button type="button" className="plain" onClick={end.toLatest}>
            <Icon name="down" />
            {t(" Jump to latest")}
          </button>
        </div>
      )}
    </>
  );
}
