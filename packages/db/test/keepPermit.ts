import { getAddress } from "viem";
import type { Database } from "../src/connectDatabase";
import { storePermit } from "../src/permits/storePermit";
import { hex } from "./smallIndex";

/** The contract and the token of the permits that `keepPermit` keeps. */
export const permitContract = getAddress(hex(1, 20));
export const permitToken = hex(7, 20);

/** Keeps a permit of a new owner until `deadline`. Returns its id. */
export async function keepPermit(
  database: Database,
  {
    chainId = 1,
    owner,
    deadline = 200n,
    at = 100n,
  }: { chainId?: number; owner: number; deadline?: bigint; at?: bigint },
): Promise<string> {
  const id = crypto.randomUUID();
  const [token, signature] = [getAddress(permitToken), hex(owner, 65)];
  const permit = { token, owner: getAddress(hex(owner, 20)), spender: permitContract, signature, isOfKey: true };
  await storePermit(database, {
    id,
    chainId,
    contract: permitContract,
    permit: { ...permit, value: 5n, nonce: 0n, allowance: 0n, deadline },
    hash: hex(owner, 32),
    blockTimestamp: at,
    now: new Date(0),
  });
  return id;
}
