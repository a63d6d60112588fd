// The part of the page that scrolls: with a shade where there is more below, and a way there.

import type { ReactNode } from "react";
import { Icon } from "../ui/icons";
import type { End } from "./useEnd";

export function Scrolled({ end, children }: { end: End; children: ReactNode }): ReactNode {
  return (
    <>
      <div
        className="conversation"
        id="conversation"
        ref={end.place}
        tabIndex={0}
        role="region"
        aria-label="Conversation"
      >
        <div ref={end.content} className="column">
          {children}
        </div>
      </div>
      {end.more && (
        <div className="below">
          <button type="button" className="plain" onClick={end.toLatest}>
            <Icon name="down" /> Jump to latest
          </button>
        </div>
      )}
    </>
  );
}
