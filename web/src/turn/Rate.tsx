// What one thinks of an answer: good or bad, and why.

import { useState, type ReactNode } from "react";
import { IconButton } from "../ui/IconButton";
import { t } from "../language/t";

export type Rating = "good" | "bad";

interface Props {
  readonly rating: string | null;
  readonly onRate: (rating: Rating, note: string) => void;
}

export function Rate({ rating, onRate }: Props): ReactNode {
  const [asked, setAsked] = useState<Rating | null>(null);
  const [note, setNote] = useState("");
  const rated = (name: Rating, label: string) => (
    <IconButton
      icon={name}
      label={label}
      className={name}
      pressed={rating === name}
      onClick={() => {
        onRate(name, "");
        setAsked(name);
        setNote("");
      }}
    />
  );
  return (
    <>
      {rated("good", t("Good"))}
      {rated("bad", t("Bad"))}
      {asked && (
        <form
          className="why"
          action={() => {
            if (note.trim()) onRate(asked, note.trim());
            setAsked(null);
          }}
        >
          <input
            type="text"
            aria-label={t("Reason (optional)")}
            placeholder={asked === "good" ? t("What was good? (optional)") : t("What was wrong? (optional)")}
            maxLength={2000}
            value={note}
            onChange={(event) => setNote(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.stopPropagation();
              setAsked(null);
            }}
          />
          <button type="submit" className="plain">
            {note.trim() ? t("Add") : t("Close")}
          </button>
        </form>
      )}
    </>
  );
}
