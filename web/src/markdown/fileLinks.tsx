// Paths of files in answers, which open where somebody offers to show them.

import { createContext, useContext, type ReactNode } from "react";

export type OpenFile = (path: string, line: number | null) => void;

export const FileOpening = createContext<OpenFile | null>(null);

export interface FilePlace {
  readonly path: string;
  readonly line: number | null;
}

const PLACE = /^(?:\.\/)?((?:[\w.@+-]+\/)*[\w.@+-]+)(?:(?::|#L)(\d{1,7})(?:[-:,](?:L?\d+))?)?$/;
const KNOWN =
  /\.(?:py|pyi|tsx?|jsx?|mjs|cjs|css|html?|json|toml|ya?ml|md|rst|txt|rs|go|java|kt|rb|php|cs|c|h|cc|cpp|hpp|sh|sql|ini|cfg|lock|xml|swift|vue|svelte)$/i;

/** The file that a piece of text names, with its line; null where it names none. */
export function filePlace(text: string): FilePlace | null {
  const [, path, line] = (text.length <= 500 && PLACE.exec(text)) || [];
  if (!path || path.split("/").includes("..")) return null;
  const certain = KNOWN.test(path) || (path.includes("/") && /[a-z]/i.test(path) && line !== undefined);
  return certain ? { path, line: line === undefined ? null : Number(line) } : null;
}

interface LinkProps {
  readonly text: string;
  // What the button says: without the marks of figures, which are buttons themselves.
  readonly label: ReactNode;
  readonly children: ReactNode;
}

/** A path as a button that opens the file, where files can be opened; else what it is without. */
export function FileLink({ text, label, children }: LinkProps): ReactNode {
  const open = useContext(FileOpening);
  const place = open && filePlace(text);
  if (!place) return children;
  return (
    <button type="button" className="file-link" onClick={() => open(place.path, place.line)}>
      {label}
    </button>
  );
}
