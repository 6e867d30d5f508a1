import type { DuedayError } from "@dueday/sdk";
import { useEffect, useState } from "react";
import { formatDuration } from "../format/formatDate";
import { useNow } from "../ui/useNow";
import { Notice } from "./Notice";

/** Used where the service names no time. */
const USUAL_WAIT_SECONDS = 60;

/** The limit of requests is reached: counts down to the moment at which the same request is allowed, then repeats it once. */
export function RateLimited({ error, onRetry }: { error: DuedayError; onRetry?: (() => void) | undefined }) {
  const now = useNow();
  const [until, setUntil] = useState(Number.POSITIVE_INFINITY);
  // Another refusal is another error, and starts another countdown.
  useEffect(() => setUntil(Date.now() + (error.retryAfter ?? USUAL_WAIT_SECONDS) * 1000), [error]);
  const isOver = now >= until;
  useEffect(() => {
    if (isOver) onRetry?.();
  }, [isOver, onRetry]);
  const left = Number.isFinite(until) ? Math.max(0, Math.ceil((until - now) / 1000)) : (error.retryAfter ?? 0);
  return (
    <Notice tone="warn" title="The limit of requests is reached">
      <p role="timer" aria-live="off">
        {isOver ? "Loading again." : `It loads again in ${formatDuration(left)}.`}
      </p>
    </Notice>
  );
}
