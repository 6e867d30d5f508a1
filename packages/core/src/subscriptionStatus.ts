import type { StatusLabel } from "./schema";

export const ACTIVE_STATUS = 0;

const LABELS = ["ACTIVE", "CANCELLED", "UNSUBSCRIBED"] as const satisfies readonly StatusLabel[];

/** @throws RangeError for a number that the protocol does not have. */
export function statusLabel(status: number): StatusLabel {
  const label = LABELS[status];
  if (label === undefined)
    throw new RangeError(`status ${status} is not 0 (active), 1 (cancelled) or 2 (unsubscribed)`);
  return label;
}
