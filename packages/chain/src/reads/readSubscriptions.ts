import { type Frequency, toFrequency } from "@dueday/core/calendar/frequency";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectValue, protocolRead } from "./protocolRead";
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
  const rows = await readTable(client, ids, (id) => [protocolRead(contract, "idSubMap", [id])], block);
  const records = new Map<Hex, SubscriptionRecord>();
  for (const { key, results } of rows) {
    const [id, amount, provider, token, cancelled, frequency, dueDay] = expectValue(results[0], "idSubMap");
    if (BigInt(id) === 0n) continue;
    records.set(key, { id: key, amount, provider, token, cancelled, frequency: toFrequency(frequency), dueDay });
  }
  return records;
}
