import { ApprovedTokens } from "@dueday/core/snapshots/approvedTokens";
import { readSnapshots } from "@dueday/db/snapshots/readSnapshots";
import { Value } from "@sinclair/typebox/value";
import { type Address, getAddress } from "viem";
import type { ChainContext } from "../context";

/**
 * Approving a token emits no event (protocol part 2): candidates are those configured, those of the last snapshot, and `named`, in this
 * order, each once.
 */
export async function knownTokens(
  { chain, database }: Pick<ChainContext, "chain" | "database">,
  named: readonly string[] = [],
): Promise<Address[]> {
  const { chainId, contract } = chain;
  const [before] = await readSnapshots(database, { chainId, contract, kind: "tokens", keys: [""] });
  const stored = before === undefined ? [] : Value.Parse(ApprovedTokens, JSON.parse(before.payload)).tokens;
  const addresses = [...chain.tokens, ...stored.map(({ address }) => address), ...named];
  return [...new Set(addresses.map((address) => getAddress(address)))];
}
