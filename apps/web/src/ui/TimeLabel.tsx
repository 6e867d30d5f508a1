import { formatDuration, formatTime } from "../format/formatDate";
import { useNow } from "./useNow";

/** How long ago something happened, with the instant in its title. @param seconds unix seconds */
export function TimeAgo({ seconds }: { seconds: number }) {
  const now = useNow();
  const age = Math.max(0, Math.floor(now / 1000) - seconds);
  return (
    <time dateTime={new Date(seconds * 1000).toISOString()} title={formatTime(seconds)}>
      {formatDuration(age)} ago
    </time>
  );
}
