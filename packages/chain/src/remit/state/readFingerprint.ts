import { type Address, type Hex, pad, size } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { FINGERPRINT_PROGRAM } from "./fingerprintProgram";
import { runProgram } from "./runProgram";

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
  const answer = await runProgram(client, { at: READER, code: FINGERPRINT_PROGRAM, data, block });
  return answer !== null && size(answer) === 32 ? answer : null;
}
