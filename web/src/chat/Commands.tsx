// What can be said with a slash, shown while one writes it. The field keeps the focus: arrows choose, Tab and Enter complete.

import { useEffect, useState, type KeyboardEvent, type ReactNode } from "react";
import { t } from "../language/t";

const COMMANDS = [
  ["/help", t("list the commands")],
  ["/tools", t("the tools and their parameters")],
  ["/tool ", 'run one tool: /tool NAME {"arg": value}'],
  ["/plan ", t("show how a question would be planned, without answering it")],
  ["/history", t("the conversation so far")],
  ["/clear", t("clear the conversation so far")],
] as const;

type Command = readonly [name: string, what: string];

// The one that is written already, without what it takes, comes first.
export function matching(text: string): readonly Command[] {
  if (!text.startsWith("/") || text.includes(" ")) return [];
  const found = COMMANDS.filter(([name]) => name.startsWith(text.toLowerCase()) && name !== text);
  const whole = found.filter(([name]) => name.trim() === text);
  return [...whole, ...found.filter((one) => !whole.includes(one))];
}

// Why a line cannot be a command; empty where it is one, or none.
export function unknownCommand(line: string): string {
  const [word = ""] = line.split(/\s/, 1);
  if (!word.startsWith("/") || COMMANDS.some(([name]) => name.trim() === word.toLowerCase())) return "";
  return t("There is no command “{0}”. Type / for a list of commands.", word.slice(0, 40));
}

const optionId = (place: number): string => `command-${place}`;

export interface CommandList {
  readonly list: ReactNode;
  // Whether the key was one of the list's.
  readonly pressed: (event: KeyboardEvent) => boolean;
  readonly field: {
    readonly "aria-autocomplete"?: "list";
    readonly "aria-controls"?: string;
    readonly "aria-activedescendant"?: string;
  };
}

export function useCommands(text: string, onChoose: (line: string) => void): CommandList {
  const [at, setAt] = useState(0);
  const [closed, setClosed] = useState(false);
  useEffect(() => {
    setAt(0);
    setClosed(false);
  }, [text]);
  const found = closed ? [] : matching(text);
  if (!found.length) return { list: null, pressed: () => false, field: {} };
  const pressed = (event: KeyboardEvent): boolean => {
    const step = { ArrowDown: 1, ArrowUp: found.length - 1 }[event.key];
    const completes = event.key === "Enter" || event.key === "Tab";
    if (event.nativeEvent.isComposing || event.shiftKey) return false;
    if (step) setAt((at + step) % found.length);
    else if (completes) onChoose(found[at]?.[0] ?? text);
    else if (event.key === "Escape") setClosed(true);
    else return false;
    event.preventDefault();
    return true;
  };
  return {
    list: <Commands {...{ found, at, onChoose }} onPoint={setAt} />,
    pressed,
    field: { "aria-autocomplete": "list", "aria-controls": "commands", "aria-activedescendant": optionId(at) },
  };
}

interface Props {
  readonly found: readonly Command[];
  readonly at: number;
  readonly onChoose: (line: string) => void;
  readonly onPoint: (place: number) => void;
}

function Commands({ found, at, onChoose, onPoint }: Props): ReactNode {
  return (
    <ul className="commands" id="commands" role="listbox" aria-label={t("Commands")}>
      {found.map(([name, what], place) => (
        <li
          key={name}
          id={optionId(place)}
          role="option"
          aria-selected={place === at}
          onMouseMove={() => onPoint(place)}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(name)}
        >
          <code>{name}</code> <span>{what}</span>
        </li>
      ))}
    </ul>
  );
}
