// The frame of the page: three columns; on a narrow screen the side is a drawer.

import { useEffect, useRef, type ReactNode } from "react";
import { Divider } from "../ui/Divider";
import { Icon } from "../ui/icons";
import { useStick } from "./useStick";
import { useNarrow } from "./useWide";
import { t } from "../language/t";

interface Props {
  readonly side: ReactNode;
  readonly trace: ReactNode;
  // Shows the trace where it could stand and does not.
  readonly onTrace: (() => void) | null;
  readonly growing: boolean;
  readonly title: string;
  readonly drawer: boolean;
  readonly onDrawer: (open: boolean) => void;
  readonly children: ReactNode;
}

export function Frame({ side, trace, onTrace, growing, title, drawer, onDrawer, children }: Props): ReactNode {
  const narrow = useNarrow();
  const menu = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  const was = useRef(false);
  useStick(panel, growing && Boolean(trace));
  const open = narrow && drawer;
  // The rest of the page cannot be reached while the drawer is open; the focus goes in and comes back.
  useEffect(() => {
    if (open) document.getElementById("new-chat")?.focus();
    else if (was.current) menu.current?.focus();
    was.current = open;
  }, [open]);
  return (
    <>
      <a
        className="skip"
        id="skip"
        href="#question"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("question")?.focus();
        }}
      >
        {t("Skip to the question")}
      </a>
      <div className={`app${open ? " drawer" : ""}`} id="app">
        <nav className="sidebar" id="sidebar" aria-label={t("Conversations")} inert={narrow && !open}>
          {side}
        </nav>
        {open && (
          <button
            className="scrim"
            type="button"
            tabIndex={-1}
            aria-label={t("Close the list of conversations")}
            onClick={() => onDrawer(false)}
          />
        )}
        <main className="main" id="main" inert={open}>
          <header className="bar">
            <button
              className="plain small"
              id="menu"
              ref={menu}
              type="button"
              aria-controls="sidebar"
              aria-expanded={open}
              onClick={() => onDrawer(true)}
            >
              <Icon name="menu" />
              {t(" Menu")}
            </button>
            <h1 id="title">{title}</h1>
          </header>
          {children}
          {onTrace && (
            <button
              type="button"
              className="icon-button show-trace"
              title={t("Show trace")}
              aria-label={t("Show trace")}
              onClick={onTrace}
            >
              <Icon name="panel" size={16} />
            </button>
          )}
          {trace && <Divider panel={() => panel.current} />}
        </main>
        {trace && (
          <aside ref={panel} className="trace-panel" id="trace-panel" aria-label={t("Trace")} tabIndex={0} data-scrolls>
            {trace}
          </aside>
        )}
      </div>
    </>
  );
}
