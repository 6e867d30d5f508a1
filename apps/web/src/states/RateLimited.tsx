import type { DuedayError } from "@dueday/sdk";
import { useEffect, useRef, useState } from "react";
import { formatDuration } from "../format/formatDate";
import { useNow } from "../ui/useNow";
import { Notice } from "./Notice";

/** Used where the service names no time. */
const USUAL_WAIT_SECONDS = 60;

/** Shown when the request limit is reached: counts down to the moment at which the same request is allowed, then repeats it once by `onRetry`. */
export function RateLimited({ error, onRetry }: { error: DuedayError; onRetry?: (() => void) | undefined }) {
  const now = useNow();
  const waitMs = (error.retryAfter ?? USUAL_WAIT_SECONDS) * 1000;
  // Another refusal is another error, and starts another countdown.
  const [countdown, setCountdown] = useState<{ error: DuedayError; until: number } | null>(null);
  useEffect(() => setCountdown({ error, until: Date.now() + waitMs }), [error, waitMs]);
  const until = countdown?.error === error ? countdown.until : null;
  const isOver = until !== null && now >= until;
  // The page is rendered again while the request is repeated: a second request would count against the limit, too.
  const repeated = useRef<DuedayError | null>(null);
  useEffect(() => {
    if (!isOver || repeated.current === error) return;
    repeated.current = error;
    onRetry?.();
  }, [isOver, error, onRetry]);
  const left = Math.max(0, Math.ceil((until === null ? waitMs : until - now) / 1000));
  return (
    <Notice tone="warn" title="You have reached the request limit">
      <p role="timer" aria-live="off">
        {onRetry === undefined ? "Try again" : "Trying again"}
        {isOver ? "." : ` in ${formatDuration(left)}.`}
      </p>
    </Notice>
  );
}
