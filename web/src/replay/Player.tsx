// Through a turn, stop by stop: a slider, single steps, and by itself.

import { Slider } from "radix-ui";
import { useEffect, useState, type ReactNode } from "react";
import { t } from "../language/t";

const STOP_MS = 700;

interface Props {
  readonly stops: number;
  readonly place: number;
  readonly label: string;
  readonly onPlace: (place: number) => void;
}

export function Player({ stops, place, label, onPlace }: Props): ReactNode {
  const [playing, setPlaying] = useState(false);
  useEffect(() => {
    if (!playing) return;
    if (place >= stops) {
      setPlaying(false);
      return;
    }
    const timer = window.setTimeout(() => onPlace(place + 1), STOP_MS);
    return () => window.clearTimeout(timer);
  }, [playing, place, stops, onPlace]);
  const play = () => {
    if (!playing && place >= stops) onPlace(0);
    setPlaying(!playing);
  };
  return (
    <div className="player">
      <button type="button" className="plain small" onClick={play}>
        {playing ? t("Pause") : t("Play")}
      </button>
      <button
        type="button"
        className="plain small"
        aria-label={t("Back one step")}
        disabled={place === 0}
        onClick={() => onPlace(place - 1)}
      >
        ‹
      </button>
      <Slider.Root
        className="slider"
        min={0}
        max={stops}
        step={1}
        value={[place]}
        onValueChange={([to]) => onPlace(to ?? 0)}
      >
        <Slider.Track className="slider-track">
          <Slider.Range className="slider-range" />
        </Slider.Track>
        <Slider.Thumb className="slider-thumb" aria-label={t("Position in the turn")} aria-valuetext={label} />
      </Slider.Root>
      <button
        type="button"
        className="plain small"
        aria-label={t("Forward one step")}
        disabled={place >= stops}
        onClick={() => onPlace(place + 1)}
      >
        ›
      </button>
      <span className="hint place">{label}</span>
    </div>
  );
}
