import { type Address, type Hex, isHex, pad, size } from "viem";
import { blockReference } from "../../block/blockReference";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { explainRefusal } from "../../client/explainRefusal";
import { RpcRefusal } from "../../client/rpcOutcome";
import { FINGERPRINT_PROGRAM } from "./fingerprintProgram";

/** Pairs of one eth_call: a proxied token takes some 20,000 gas for each, of the 50 million that nodes allow. */
export const MOST_PAIRS = 1_000;
/** An unused address that has the program's code for the length of one call. */
const READER: Address = "0x00000000000000000000000000000000000d0e03";

export type FingerprintParameters = {
  /** The spender of the allowances. */
  contract: Address;
  /** The accounts of each token, `MOST_PAIRS` in all at most. */
  holders: ReadonlyMap<Address, Iterable<Address>>;
  block: ChainBlock;
};

/**
 * A hash of all balances and allowances of some accounts after `block`: another hash means that one of them changed. One
 * eth_call, with a program that the request carries.
 *
 * @returns null where the node takes no state overrides
 * @throws ServiceError UPSTREAM_*
 */
export async function readFingerprint(
  client: ChainClient,
  { contract, holders, block }: FingerprintParameters,
): Promise<Hex | null> {
  const words: Address[] = [contract];
  for (const [token, accounts] of holders) for (const account of accounts) words.push(token, account);
  const data = `0x${words.map((word) => pad(word).slice(2)).join("")}` as const;
  try {
    const overrides = { [READER]: { code: FINGERPRINT_PROGRAM } };
    const answer = await client.rpc("eth_call", [{ to: READER, data }, blockReference(block), overrides]);
    return isHex(answer) && size(answer) === 32 ? answer : null;
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    throw explainRefusal(error);
  }
}
