import { ServiceError } from "@dueday/core/errors";

/** The most open days that are read and planned: a century. */
const MOST_OPEN_DAYS = 36_525;

/**
 * The days from `nextUncheckedDay` to `today`, both included; none where `nextUncheckedDay` comes later. Throws ServiceError
 * UPSTREAM_ERROR for more than a century: both numbers come from a node, and their difference is the length of loops and lists.
 */
export function expectOpenDays(nextUncheckedDay: number, today: number): number[] {
  const count = Math.max(0, today - nextUncheckedDay + 1);
  if (count > MOST_OPEN_DAYS) {
    throw new ServiceError(
      "UPSTREAM_ERROR",
      `The chain has ${count} open days, more than the ${MOST_OPEN_DAYS} that are planned; the operator has to check its node's clock and nextUncheckedDay`,
      { details: { nextUncheckedDay, today }, retryable: false },
    );
  }
  return Array.from({ length: count }, (_, offset) => nextUncheckedDay + offset);
}
