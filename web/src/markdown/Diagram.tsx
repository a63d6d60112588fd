// A Mermaid diagram, drawn in a sandboxed frame that has a policy of its own, and its source on request. What comes from
// the frame is a height or a complaint, and is taken for no more.

import { useEffect, useRef, useState, type ReactNode } from "react";
import { address } from "../api/client";
import { usePreferences } from "../preferences";
import { CopyButton } from "../ui/CopyButton";
import { Code } from "./Code";
import { t } from "../language/t";

const MOST_CHARS = 20_000;
const MOST_PX = 4_000;
const FIRST_PX = 160;

interface Told {
  readonly ready?: unknown;
  readonly height?: unknown;
  readonly error?: unknown;
}

function isDark(node: Element): boolean {
  const schemes = getComputedStyle(node).colorScheme.split(" ");
  return schemes.includes("dark") && (schemes.length === 1 || matchMedia("(prefers-color-scheme: dark)").matches);
}

export function Diagram({ source }: { source: string }): ReactNode {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState<number | null>(null);
  const [problem, setProblem] = useState(source.length > MOST_CHARS ? t("it is too long") : "");
  const [text, setText] = useState(false);
  useEffect(() => {
    const heard = (event: MessageEvent<unknown>) => {
      const node = frame.current;
      if (!node || event.source !== node.contentWindow) return;
      const told = (event.data as { diagram?: Told } | null)?.diagram;
      // The frame has no origin that a message could be meant for.
      if (told?.ready === true) node.contentWindow?.postMessage({ source, dark: isDark(node) }, "*");
      else if (told?.ready === false) setProblem(t("the part of the page that draws it is missing"));
      else if (typeof told?.error === "string") setProblem(told.error.slice(0, 300));
      else if (typeof told?.height === "number" && told.height > 0) setHeight(Math.min(told.height, MOST_PX));
    };
    window.addEventListener("message", heard);
    return () => window.removeEventListener("message", heard);
  }, [source]);
  const { theme } = usePreferences();
  const isDrawn = height !== null;
  // Drawn anew in the colours of the theme that was chosen, or that the system changed to.
  useEffect(() => {
    if (!isDrawn) return undefined;
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const again = () => {
      const node = frame.current;
      if (node) node.contentWindow?.postMessage({ source, dark: isDark(node) }, "*");
    };
    again();
    dark.addEventListener("change", again);
    return () => dark.removeEventListener("change", again);
  }, [source, theme, isDrawn]);
  if (problem)
    return (
      <>
        <Code text={source} language="mermaid" />
        <p className="hint">{t("This diagram could not be drawn: {0}", problem)}</p>
      </>
    );
  return (
    <div className="code diagram">
      <div className="code-head">
        <button type="button" className="more" aria-expanded={text} onClick={() => setText(!text)}>
          {text ? t("Hide source") : t("Show source")}
        </button>
        <CopyButton text={() => source} label={t("Copy source")} className="more" />
      </div>
      {text && (
        <pre tabIndex={0}>
          <code>{source}</code>
        </pre>
      )}
      <iframe
        ref={frame}
        title={t("Diagram")}
        sandbox="allow-scripts"
        src={address("assets/diagram.html")}
        data-drawn={height !== null}
        style={{ height: height ?? FIRST_PX }}
      />
    </div>
  );
}
