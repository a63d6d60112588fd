// A window over the page: the browser's own, which keeps the focus inside and closes with Escape.

import { useLayoutEffect, useRef, type ReactNode } from "react";

export function Dialog({
  label,
  onClose,
  children,
  className = "",
}: {
  label: string;
  onClose: () => void;
  children: ReactNode;
  className?: string;
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  // Before it is taken off the page: the browser then gives the focus back to what had it.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // A modal takes the first button there is; the one that does no harm says that it wants to be it.
    shown?.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      {children}
    </dialog>
  );
}
