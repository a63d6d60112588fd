// Images and files as one sees them: chips in the field before they are sent, pictures in the question after.

import { useRef, type KeyboardEvent, type ReactNode } from "react";
import type { Attachment } from "../api/events";
import { Icon } from "../ui/icons";
import { attachmentLink, sizeOf, type Attached } from "./attached";
import { t } from "../language/t";

interface ChipsProps {
  readonly attached: readonly Attached[];
  readonly onRemove: (key: string) => void;
}

export function AttachedChips({ attached, onRemove }: ChipsProps): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  if (!attached.length) return null;
  const remove = (place: number) => {
    onRemove(attached[place]?.key ?? "");
    // The focus stays where one was: on the next one, or in the field.
    window.setTimeout(() => {
      const buttons = list.current?.querySelectorAll("button");
      const next = buttons?.[Math.min(place, buttons.length - 1)] ?? document.getElementById("question");
      next?.focus();
    }, 0);
  };
  const key = (event: KeyboardEvent, place: number) => {
    if (event.key !== "Delete" && event.key !== "Backspace") return;
    event.preventDefault();
    remove(place);
  };
  return (
    <ul className="attached" aria-label={t("Attached")} ref={list}>
      {attached.map((one, place) => (
        <li key={one.key} className="attached-chip">
          {one.image ? <img src={one.data} alt="" /> : <Icon name="file" />}
          <span className="attached-name">{one.name}</span>
          <span className="attached-size">{sizeOf(one.size)}</span>
          <button
            type="button"
            className="attached-remove"
            aria-label={t("Remove {0}", one.name)}
            onClick={() => remove(place)}
            onKeyDown={(event) => key(event, place)}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface GivenProps {
  readonly turn: string;
  readonly attachments: readonly Attachment[];
}

// What was given with a question.
export function GivenAttachments({ turn, attachments }: GivenProps): ReactNode {
  if (!attachments.length) return null;
  return (
    <ul className="given" aria-label={t("Provided with the question")}>
      {attachments.map((one) => (
        <li key={one.sha256 || one.name}>
          {one.media_type.startsWith("image/") ? (
            <a
              href={attachmentLink(turn, one)}
              target="_blank"
              rel="noreferrer"
              aria-label={t("{0}, full size", one.name)}
            >
              <img
                src={attachmentLink(turn, one)}
                alt={one.name}
                loading="lazy"
                {...(one.width ? { width: one.width, height: one.height } : {})}
              />
            </a>
          ) : (
            <span className="attached-chip">
              <Icon name="file" />
              {one.sha256 ? (
                <a className="attached-name" href={attachmentLink(turn, one)} download={one.name}>
                  {one.name}
                </a>
              ) : (
                <span className="attached-name">{one.name}</span>
              )}
              <span className="attached-size">{sizeOf(one.size)}</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
