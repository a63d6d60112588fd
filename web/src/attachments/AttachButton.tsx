// Ways to bring images and files into a question: a button, dropping and pasting.

import { useRef, useState, type ClipboardEvent, type DragEvent, type ReactNode } from "react";
import { Icon } from "../ui/icons";
import { t } from "../language/t";

type OnAttach = (files: readonly File[]) => void;

interface DropTarget {
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragLeave: () => void;
  readonly onDrop: (event: DragEvent) => void;
}

interface Drop {
  readonly over: boolean;
  readonly target: DropTarget;
  readonly pasted: (event: ClipboardEvent) => void;
}

export function useDrop(onAttach: OnAttach, busy: boolean): Drop {
  const [over, setOver] = useState(false);
  return {
    over,
    target: {
      onDragOver: (event) => {
        if (!event.dataTransfer.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop: (event) => {
        setOver(false);
        if (!event.dataTransfer.files.length) return;
        // Else the browser would leave the page for the file.
        event.preventDefault();
        if (!busy) onAttach([...event.dataTransfer.files]);
      },
    },
    pasted: (event) => {
      const { files } = event.clipboardData;
      if (!files.length) return;
      event.preventDefault();
      onAttach([...files]);
    },
  };
}

export function AttachButton({ disabled, onAttach }: { disabled: boolean; onAttach: OnAttach }): ReactNode {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className="pill" disabled={disabled} onClick={() => chooser.current?.click()}>
        <Icon name="attach" />
        {t(" Attach")}
      </button>
      <input
        type="file"
        id="attach"
        ref={chooser}
        multiple
        hidden
        tabIndex={-1}
        aria-label={t("Images and files for this question")}
        onChange={(event) => {
          onAttach([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
    </>
  );
}
