/** SubscriptEvent of a SubLog by its code (protocol part 1), as answers name it. */
export const subLogNames = [
  "Create",
  "Cancel",
  "ProviderPaid",
  "Failed",
  "ProviderRefund",
  "SubscriberPaid",
  "Subscribed",
  "Unsubscribed",
  "FeeFill",
  "SubscriberRefund",
] as const;
export type SubLogName = (typeof subLogNames)[number];

/** Codes of SubLog events that more than one place asks for. */
export const subscriptEvent = {
  CREATE: 0,
  CANCEL: 1,
  PROVPAID: 2,
  FAILED: 3,
  PROVREFUND: 4,
  SUBPAID: 5,
  SUBSCRIBED: 6,
  UNSUBSCRIBED: 7,
  FEEFILL: 8,
  SUBREFUND: 9,
} as const;

/** Name of a SubLog's code. The contract's enumeration has no others. */
export function subLogName(code: number): SubLogName {
  const name = subLogNames[code];
  if (name === undefined) throw new RangeError(`subScriptEvent ${code} is not in 0..9`);
  return name;
}
