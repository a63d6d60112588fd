// Links of an answer, which lead outwards and say so, and its pictures, which come from this server only.

import type { ReactNode } from "react";
import { ROOT } from "../api/client";
import { FileLink } from "./fileLinks";

const REL = "noopener noreferrer nofollow";

interface LinkProps {
  readonly href: string | undefined;
  readonly text: string;
  readonly children: ReactNode;
}

export function Link({ href, text, children }: LinkProps): ReactNode {
  if (!href || !/^(?:https?|mailto):/i.test(href))
    return (
      <FileLink text={href ?? ""} label={text}>
        <span>{children}</span>
      </FileLink>
    );
  return (
    <a href={href} rel={REL} target="_blank">
      {children}
    </a>
  );
}

// A path on this server, and nothing that a browser would take for another one.
const isOwn = (src: string): boolean => /^\/(?![/\\])/.test(src);

// Tools name paths as the server knows them, wherever that is mounted.
const placed = (src: string): string => (src.startsWith(ROOT) ? src : `${ROOT}${src.slice(1)}`);

export function Picture({ src, alt }: { src: string; alt: string }): ReactNode {
  if (isOwn(src)) return <img src={placed(src)} alt={alt} loading="lazy" />;
  return (
    <Link href={src} text={alt || src}>
      {alt || src}
    </Link>
  );
}
