import { formatUnits } from "@dueday/core/amounts/decimalText";
import type { Warning } from "@dueday/core/errors";
import type { Address } from "viem";

/** Warns where the account that broadcasts can't pay `costWei` of gas; a cost of 0 stands for one that is not known. */
export function warnAboutGas(account: Address, balance: bigint | null, costWei: bigint): Warning[] {
  if (balance === null || (balance > 0n && balance >= costWei)) return [];
  const needs =
    costWei === 0n ? "every transaction needs some" : `the transactions cost about ${formatUnits(costWei, 18)}`;
  const message = `${account} holds ${formatUnits(balance, 18)} of the chain's native token for gas, and ${needs}: fund it before broadcasting.`;
  return [{ code: "NO_GAS", message }];
}
