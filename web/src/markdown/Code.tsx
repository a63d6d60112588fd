// Code with colours and a way to copy it. The colours come later: the page does not wait for them.

import type { RootContent } from "hast";
import { useEffect, useState, type ReactNode } from "react";
import { CopyButton } from "../ui/CopyButton";
import { Colouring, type Coloured, type Highlighter } from "./colouring";
import { t } from "../language/t";

let highlighter: Highlighter | null = null;
const load = async (): Promise<void> => {
  highlighter = (await import("./highlight")).lowlight;
};

function useColouring(text: string, language: string): Coloured {
  const [colouring] = useState(() => new Colouring());
  const [, look] = useState(0);
  const coloured = colouring.of(text, language, highlighter, () => performance.now());
  const { wait } = coloured;
  useEffect(() => {
    let wanted = true;
    if (language && !highlighter) void load().then(() => wanted && look((now) => now + 1));
    return () => {
      wanted = false;
    };
  }, [language]);
  useEffect(() => {
    if (wait === null) return undefined;
    const timer = window.setTimeout(() => look((now) => now + 1), wait);
    return () => window.clearTimeout(timer);
  }, [wait]);
  return coloured;
}

export function Code({ text, language }: { text: string; language: string }): ReactNode {
  const { tree, rest } = useColouring(text, language);
  return (
    <div className="code">
      <div className="code-head">
        <span>{language || "text"}</span>
        <CopyButton text={() => text} label={t("Copy code")} className="more" />
      </div>
      <pre tabIndex={0}>
        <code>
          {tree?.children.map(coloured)}
          {rest}
        </code>
      </pre>
    </div>
  );
}

function coloured(node: RootContent, key: number): ReactNode {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  const names = node.properties["className"];
  return (
    <span key={key} className={Array.isArray(names) ? names.join(" ") : undefined}>
      {node.children.map((one, place) => coloured(one, place))}
    </span>
  );
}
