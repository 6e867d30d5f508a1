import { type Frequency, toFrequency } from "@dueday/core/calendar/frequency";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectValue, protocolRead } from "./protocolRead";
import type { ReadResult } from "./readMany";
import { readTable } from "./readTable";

/** A subscription as the contract keeps it. */
export type SubscriptionRecord = {
  id: Hex;
  /** 18 decimals, whatever the token has. */
  amount: bigint;
  provider: Address;
  token: Address;
  cancelled: boolean;
  frequency: Frequency;
  dueDay: number;
};

/** The contract's record of each id; an id that it does not know is absent. */
export async function readSubscriptions(
  client: ChainClient,
  { contract, ids, block }: { contract: Address; ids: readonly Hex[]; block: ChainBlock },
): Promise<Map<Hex, SubscriptionRecord>> {
  const rows = await readTable(client, ids, (id) => [subscriptionRead(contract, id)], block);
  return recordsOf(rows.map(({ key, results }) => ({ id: key, result: results[0] })));
}

export function subscriptionRead(contract: Address, id: Hex) {
  return protocolRead(contract, "idSubMap", [id]);
}

/** Records from the results of `subscriptionRead`. */
export function recordsOf(rows: readonly { id: Hex; result: ReadResult<IdSubMap> }[]): Map<Hex, SubscriptionRecord> {
  const records = new Map<Hex, SubscriptionRecord>();
  for (const { id, result } of rows) {
    const [known, amount, provider, token, cancelled, frequency, dueDay] = expectValue(result, "idSubMap");
    if (BigInt(known) === 0n) continue;
    records.set(id, { id, amount, provider, token, cancelled, frequency: toFrequency(frequency), dueDay });
  }
  return records;
}

type IdSubMap = ReturnType<ReturnType<typeof subscriptionRead>["decode"]>;
