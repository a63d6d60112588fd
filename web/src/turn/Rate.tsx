// What one thinks of an answer: good or bad, and why.

import { useState, type ReactNode } from "react";
import { IconButton } from "../ui/IconButton";

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
      {rated("good", "Good")}
      {rated("bad", "Bad")}
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
            aria-label="Why, if you like"
            placeholder={asked === "good" ? "What was good? (may stay empty)" : "What was wrong? (may stay empty)"}
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
            {note.trim() ? "Add" : "Close"}
          </button>
        </form>
      )}
    </>
  );
}
