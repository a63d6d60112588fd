// Code with colours and a way to copy it. The colours come later: the page does not wait for them.

import type { Root, RootContent } from "hast";
import { useEffect, useState, type ReactNode } from "react";
import { CopyButton } from "../ui/CopyButton";

const MOST_CHARS = 50_000;

export function Code({ text, language }: { text: string; language: string }): ReactNode {
  const [tree, setTree] = useState<Root | null>(null);
  useEffect(() => {
    let wanted = true;
    setTree(null);
    if (!language || text.length > MOST_CHARS) return;
    void import("./highlight").then(({ lowlight }) => {
      if (wanted && lowlight.registered(language)) setTree(lowlight.highlight(language, text));
    });
    return () => {
      wanted = false;
    };
  }, [text, language]);
  return (
    <div className="code">
      <div className="code-head">
        <span>{language || "text"}</span>
        <CopyButton text={() => text} label="Copy code" className="more" />
      </div>
      <pre tabIndex={0}>
        <code>{tree ? tree.children.map(coloured) : text}</code>
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
