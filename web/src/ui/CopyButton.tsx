import { useEffect, useState, type ReactNode } from "react";
import { copyText } from "./copy";
import { Icon } from "./icons";
import { t } from "../language/t";

const SHOWN_MS = 1500;

interface Props {
  readonly text: () => string;
  readonly label?: string;
  readonly className?: string;
  // A drawing in place of the words.
  readonly icon?: boolean;
}

export function CopyButton({ text, label = t("Copy"), className = "plain", icon = false }: Props): ReactNode {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!said) return;
    const timer = window.setTimeout(() => setSaid(""), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [said]);
  const copy = async () => setSaid((await copyText(text())) ? t("Copied") : t("Could not copy"));
  const shown = said || label;
  return (
    <button
      type="button"
      className={icon ? "icon-button" : className}
      title={icon ? shown : undefined}
      aria-label={icon ? shown : undefined}
      onClick={() => void copy()}
    >
      {icon ? <Icon name={said === t("Copied") ? "check" : "copy"} size={16} /> : shown}
    </button>
  );
}
