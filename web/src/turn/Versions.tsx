// The versions of a turn, as "2/3" with arrows: an edited question, an answer that was made anew.

import type { ReactNode } from "react";
import type { Entry } from "./conversation";
import { t } from "../language/t";

interface Props {
  readonly entry: Entry;
  readonly onChoose: (version: string) => void;
}

export function Versions({ entry, onChoose }: Props): ReactNode {
  const { versions, turn } = entry;
  const place = versions.indexOf(turn.id);
  if (versions.length < 2 || place < 0) return null;
  const arrow = (by: number, sign: string, label: string) => {
    const version = versions[place + by];
    return (
      <button
        type="button"
        className="plain arrow"
        aria-label={label}
        title={label}
        disabled={!version}
        onClick={() => version && onChoose(version)}
      >
        {sign}
      </button>
    );
  };
  return (
    <span className="versions" role="group" aria-label={t("Version {0} of {1}", place + 1, versions.length)}>
      {arrow(-1, "‹", t("Previous version"))}
      <span aria-hidden="true">{`${place + 1}/${versions.length}`}</span>
      {arrow(1, "›", t("Next version"))}
    </span>
  );
}
