// A quiet button: a drawing, with its name for whoever points at it or cannot see it.

import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons";

interface Props {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
  readonly pressed?: boolean;
  readonly dialog?: boolean;
  readonly className?: string;
}

export function IconButton({ icon, label, onClick, pressed, dialog, className = "" }: Props): ReactNode {
  return (
    <button
      type="button"
      className={`icon-button ${className}`}
      title={label}
      aria-label={label}
      aria-pressed={pressed}
      aria-haspopup={dialog ? "dialog" : undefined}
      onClick={onClick}
    >
      <Icon name={icon} size={16} />
    </button>
  );
}
