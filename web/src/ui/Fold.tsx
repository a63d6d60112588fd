// What is long is shown in part at first: how much of it, and the buttons for the rest.

import type { ReactNode } from "react";
import { t } from "../language/t";

export const FIRST_ROWS = 4;
export const MOST_ROWS = 2000;

interface Props {
  readonly hidden: number;
  readonly all: boolean;
  readonly setAll: (all: boolean) => void;
  // It was never folded.
  readonly whole: boolean;
}

export function Fold({ hidden, all, setAll, whole }: Props): ReactNode {
  return (
    <>
      {!all && hidden > 0 && (
        <button type="button" className="more" aria-expanded={false} onClick={() => setAll(true)}>
          {t("… {0} more", hidden.toLocaleString("en"))}
        </button>
      )}
      {all && !whole && (
        <button type="button" className="more" aria-expanded autoFocus onClick={() => setAll(false)}>
          {t("less")}
        </button>
      )}
      {all && hidden > 0 && <span>{t("({0} more are not shown here)", hidden.toLocaleString("en"))}</span>}
    </>
  );
}
