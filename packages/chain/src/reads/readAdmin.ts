import { type Address, getAddress, parseAbi, zeroAddress } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { contractRead } from "./contractRead";
import { expectValue } from "./protocolRead";
import { readMany } from "./readMany";

const adminAbi = parseAbi(["function defaultAdmin() view returns (address)"]);

/** The protocol's admin; null without one. Throws UPSTREAM_ERROR where the contract's answer is broken. */
export async function readAdmin(
  client: ChainClient,
  { contract, block }: { contract: Address; block: Pick<ChainBlock, "hash"> },
): Promise<Address | null> {
  const read = contractRead({ address: contract, abi: adminAbi, functionName: "defaultAdmin", args: [] });
  const [answer] = await readMany(client, [read], block);
  const admin = getAddress(expectValue(answer, "defaultAdmin"));
  return admin === zeroAddress ? null : admin;
}
