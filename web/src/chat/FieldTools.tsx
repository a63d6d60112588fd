// What stands beside the field. On a small screen it is one row: a button for the tools, the field, and Send.

import type { ReactNode } from "react";
import { AttachButton } from "../attachments/AttachButton";
import type { ModelChoice } from "../models/choice";
import { ModelPicker } from "../models/ModelPicker";
import { Icon, type IconName } from "../ui/icons";
import { t } from "../language/t";

interface ButtonProps {
  readonly open: boolean;
  readonly onToggle: () => void;
}

// Only a small screen has it: elsewhere the tools are always there.
export function ToolsButton({ open, onToggle }: ButtonProps): ReactNode {
  const label = open ? t("Hide options") : t("Attach, commands and model");
  return (
    <button
      type="button"
      className="icon-button tools-button"
      title={label}
      aria-label={label}
      aria-expanded={open}
      aria-controls="field-tools"
      onClick={onToggle}
    >
      <Icon name={open ? "close" : "plus"} size={18} />
    </button>
  );
}

interface ToolsProps {
  readonly open: boolean;
  readonly disabled: boolean;
  readonly model: ModelChoice;
  readonly onAttach: (files: readonly File[]) => void;
  readonly children: ReactNode;
}

export function FieldTools({ open, disabled, model, onAttach, children }: ToolsProps): ReactNode {
  return (
    <div className={open ? "field-tools open" : "field-tools"} id="field-tools">
      <AttachButton disabled={disabled} onAttach={onAttach} />
      {children}
      <ModelPicker {...model} />
    </div>
  );
}

interface SendProps {
  readonly state: "idle" | "running" | "paused" | "asked";
  readonly written: boolean;
  readonly sending: boolean;
  // What is sent while a turn runs goes to it.
  readonly steers: boolean;
  readonly onStop: () => void;
}

export function SendButtons({ state, written, sending, steers, onStop }: SendProps): ReactNode {
  const adds = state === "running" && written;
  const shown = state === "idle" || state === "running" || written;
  return (
    <div className="field-send">
      {state !== "idle" && (
        <button className="plain" id="stop" type="button" onClick={onStop}>
          <Word icon="stop">{t("Stop")}</Word>
        </button>
      )}
      {shown && (
        <button className="primary" id="send" type="submit" disabled={sending || (state === "running" && !written)}>
          <Word icon="up">{!adds ? t("Send") : steers ? t("Add") : t("Queue")}</Word>
        </button>
      )}
    </div>
  );
}

// A word where there is room for one, else a drawing that has it as its name.
function Word({ icon, children }: { icon: IconName; children: string }): ReactNode {
  return (
    <>
      <span className="button-word">{children}</span>
      <span className="button-icon">
        <Icon name={icon} size={18} />
      </span>
    </>
  );
}
