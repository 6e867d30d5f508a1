import { type Static, Type } from "@sinclair/typebox";

/** Status of a row of an account (protocol part 1): a subscriber's own, or for a provider's row that of the id. */
export const SubscriptionStatus = Type.Integer({
  minimum: 0,
  maximum: 2,
  description: "0 = active, 1 = cancelled, 2 = unsubscribed",
});

export const StatusLabel = Type.Union([
  Type.Literal("ACTIVE"),
  Type.Literal("CANCELLED"),
  Type.Literal("UNSUBSCRIBED"),
]);
export type StatusLabel = Static<typeof StatusLabel>;

export const ACTIVE_STATUS = 0;

const LABELS = ["ACTIVE", "CANCELLED", "UNSUBSCRIBED"] as const satisfies readonly StatusLabel[];

/** @throws RangeError for a number that the protocol does not have. */
export function statusLabel(status: number): StatusLabel {
  const label = LABELS[status];
  if (label === undefined)
    throw new RangeError(`status ${status} is not 0 (active), 1 (cancelled) or 2 (unsubscribed)`);
  return label;
}
