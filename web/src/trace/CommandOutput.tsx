// What a command has written so far: the newest stays in sight unless one scrolled up.

import { useLayoutEffect, useRef, type ReactNode } from "react";
import { exact } from "../turn/words";
import { t } from "../language/t";

const NEAR_PX = 24;

export function CommandOutput({ text }: { text: string }): ReactNode {
  const box = useRef<HTMLPreElement>(null);
  const stays = useRef(true);
  useLayoutEffect(() => {
    const node = box.current;
    if (node && stays.current) node.scrollTop = node.scrollHeight;
  }, [text]);
  return (
    <pre
      ref={box}
      className="box command-output"
      tabIndex={0}
      aria-label={t("Output so far")}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        stays.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
      }}
    >
      {exact(text)}
    </pre>
  );
}
