import { useEffect, useState, type ReactNode } from "react";

const SHOWN_MS = 1500;

export function CopyButton({
  text,
  label = "Copy",
  className = "plain",
}: {
  text: () => string;
  label?: string;
  className?: string;
}): ReactNode {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = window.setTimeout(() => setCopied(false), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [copied]);
  // Only pages that came safely, or from this machine, may write to the clipboard.
  if (!globalThis.navigator?.clipboard) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    setCopied(true);
  };
  return (
    <button type="button" className={className} onClick={() => void copy()}>
      {copied ? "Copied" : label}
    </button>
  );
}
