import { useState } from "react";
import { formatDuration } from "../format/formatDate";
import { useNow } from "../ui/useNow";

/** Counts down to the moment at which a refused request is allowed again. */
export function Countdown({ seconds }: { seconds: number }) {
  const now = useNow();
  const [until] = useState(() => Date.now() + seconds * 1000);
  const left = Math.ceil((until - now) / 1000);
  return (
    <p role="timer" aria-live="off">
      {left > 0 ? `It is allowed again in ${formatDuration(left)}.` : "It is allowed again now."}
    </p>
  );
}
