// The time, for what shows how long something takes: every moment, or every second for those who want no motion.

import { useEffect, useState } from "react";

const MOMENT_MS = 100;
const CALM_MS = 1000;

export function useNow(): number {
  const [now, setNow] = useState(() => performance.now());
  useEffect(() => {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const timer = window.setInterval(() => setNow(performance.now()), calm ? CALM_MS : MOMENT_MS);
    return () => window.clearInterval(timer);
  }, []);
  return now;
}
