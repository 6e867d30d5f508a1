import { formatTime } from "../format/formatDate";
import { useFreshness } from "../live/useFreshness";
import { Notice } from "../states/Notice";

/** Shown once above the page where some of its figures are old. Each card marks its own block as stale. */
export function StaleNotice() {
  const asOf = useFreshness();
  if (asOf?.stale !== true) return null;
  return (
    <Notice tone="warn" title="These figures are old">
      The service has not confirmed them since {formatTime(asOf.blockTimestamp)}: its worker or its node is behind.
    </Notice>
  );
}
