// What can be said with a slash, shown while one writes it.

import type { ReactNode } from "react";

const COMMANDS = [
  ["/help", "what there is"],
  ["/tools", "the tools and their parameters"],
  ["/tool ", 'run one tool: /tool NAME {"arg": value}'],
  ["/plan ", "how a question would be planned, without answering it"],
  ["/history", "the conversation so far"],
  ["/clear", "forget the conversation so far"],
] as const;

export const matching = (text: string): readonly (readonly [string, string])[] =>
  text.startsWith("/") && !text.includes(" ")
    ? COMMANDS.filter(([name]) => name.startsWith(text) && name !== text)
    : [];

export function Commands({ text, onChoose }: { text: string; onChoose: (line: string) => void }): ReactNode {
  return (
    <ul className="commands" aria-label="Commands">
      {matching(text).map(([name, what]) => (
        <li key={name}>
          <button type="button" onClick={() => onChoose(name)}>
            <code>{name}</code> <span>{what}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
