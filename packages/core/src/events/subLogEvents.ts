/** The contract's enumeration SubscriptEvent (protocol part 1) with the names used in answers. A code is an index of this table. */
export const subLogEvents = [
  { contractName: "CREATE", name: "Create" },
  { contractName: "CANCEL", name: "Cancel" },
  { contractName: "PROVPAID", name: "ProviderPaid" },
  { contractName: "FAILED", name: "Failed" },
  { contractName: "PROVREFUND", name: "ProviderRefund" },
  { contractName: "SUBPAID", name: "SubscriberPaid" },
  { contractName: "SUBSCRIBED", name: "Subscribed" },
  { contractName: "UNSUBSCRIBED", name: "Unsubscribed" },
  { contractName: "FEEFILL", name: "FeeFill" },
  { contractName: "SUBREFUND", name: "SubscriberRefund" },
] as const;
export type SubLogName = (typeof subLogEvents)[number]["name"];

export const subLogNames: readonly SubLogName[] = subLogEvents.map(({ name }) => name);

/** Code of a SubLog by its name in answers. */
export const subLogCode = Object.fromEntries(
  subLogNames.map((name, code) => [name, code]),
  // fromEntries loses the keys, which are exactly the names of the table.
) as Readonly<Record<SubLogName, number>>;

/** @throws RangeError for a code that the contract's enumeration does not have. */
export function subLogName(code: number): SubLogName {
  const name = subLogNames[code];
  if (name === undefined) throw new RangeError(`subScriptEvent ${code} is not in 0..${subLogNames.length - 1}`);
  return name;
}
