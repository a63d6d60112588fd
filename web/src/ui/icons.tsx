// Small drawings for kinds of steps and for buttons; each says its kind by shape as well as by colour.

import type { ReactNode } from "react";

const PATHS = {
  think: "M8 2a5 5 0 0 0-2.5 9.3V13h5v-1.7A5 5 0 0 0 8 2ZM6 15h4",
  act: "M9 1.5 3.5 9H8l-1 5.5L12.5 7H8l1-5.5Z",
  observe: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z",
  answer: "M2.5 3.5h11v7.5H8l-3 2.5V11H2.5v-7.5Z",
  trouble: "M8 2 1.5 13.5h13L8 2ZM8 6.5v3M8 11.5v.2",
  note: "M4 2.5V8h8M9.5 5.5 12 8l-2.5 2.5",
  plan: "M2.5 4h1M2.5 8h1M2.5 12h1M6 4h7.5M6 8h7.5M6 12h7.5",
  wait: "M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM8 4.5V8l2.5 1.5",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  copy: "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z",
  redo: "M13 3v3.5H9.5M12.6 6.3A5.2 5.2 0 1 0 13 9.5",
  swap: "M3 5.5h9.5M10 3l2.5 2.5L10 8M13 10.5H3.5M6 8l-2.5 2.5L6 13",
  edit: "M3 13l.7-3L11 2.7 13.3 5 6 12.3 3 13ZM9.5 4.2l2.3 2.3",
  replay: "M5 3.5v9l7.5-4.5L5 3.5Z",
  good: "M2.5 7H5v6.5H2.5V7ZM5 7.5l3-5c1 0 1.5.7 1.5 1.6L9 6.5h3.5c.8 0 1.3.7 1.1 1.5l-1.1 4.3c-.2.7-.7 1.2-1.5 1.2H5",
  bad: "M2.5 9H5V2.5H2.5V9ZM5 8.5l3 5c1 0 1.5-.7 1.5-1.6L9 9.5h3.5c.8 0 1.3-.7 1.1-1.5l-1.1-4.3c-.2-.7-.7-1.2-1.5-1.2H5",
  panel: "M2.5 3h11v10h-11zM9.5 3v10",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.7 10.7 14 14",
  gear: "M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M12.6 3.4l-1.4 1.4M4.8 11.2l-1.4 1.4",
  check: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  dot: "M8 8h.01",
  close: "M4 4l8 8M12 4l-8 8",
  file: "M4 1.5h5l3 3v10H4v-13ZM9 1.5v3h3",
  down: "M8 3v10M4 9l4 4 4-4",
  up: "M8 13V3M4 7l4-4 4 4",
  plus: "M8 3v10M3 8h10",
  stop: "M4.5 4.5h7v7h-7z",
  folder: "M1.5 4v8.5h13v-7H8L6.5 3.5h-5Z",
  attach: "M11.5 7.5 7 12a2.5 2.5 0 0 1-3.5-3.5l5-5a1.8 1.8 0 0 1 2.5 2.5l-5 5a.8.8 0 0 1-1-1l4-4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 14 }: { name: IconName; size?: number }): ReactNode {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={name === "more" || name === "dot" ? 2.6 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className="icon"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Brand({ children }: { children?: ReactNode }): ReactNode {
  return (
    <p className="brand">
      <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
        <circle className="ring" cx="11" cy="13" r="8.5" />
        <circle className="dot" cx="18.5" cy="5.5" r="4" />
      </svg>
      Glassloop
      {children}
    </p>
  );
}
