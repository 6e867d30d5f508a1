import { erc20Abi } from "@dueday/core/abi/erc20";
import { permitViewsAbi } from "@dueday/core/abi/permit";
import type { Permit } from "@dueday/core/permit/permit";
import type { Refusal } from "@dueday/core/refusal";
import type { Revert } from "@dueday/core/reverts/revert";
import { asTokenRevert } from "@dueday/core/reverts/tokenRevert";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { type ContractRead, contractRead } from "../reads/contractRead";
import { readMany } from "../reads/readMany";

export type TryPermitParameters = {
  token: Address;
  permit: Permit;
  /** Of permit(), from `encodePermit`. */
  data: Hex;
  block: ChainBlock;
};

/** What permit() does; any account may send it. */
export type PermitTrial = { works: true } | { works: false; revert: Revert | null };

/**
 * Runs permit() after `block` and reads what it has changed, in one call of the node: a permit works where it uses up its nonce and sets exactly
 * its allowance. `revert` is null where permit() succeeds but does something else. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function tryPermit(
  client: ChainClient,
  { token, permit: { owner, spender, value, nonce }, data, block }: TryPermitParameters,
): Promise<PermitTrial> {
  const call: ContractRead<null> = { to: token, data, decode: () => null };
  // One multicall makes these calls in this order, each on the state that the one before leaves.
  const [called, nonceAfter, allowanceAfter] = await readMany(
    client,
    [
      call,
      contractRead({ address: token, abi: permitViewsAbi, functionName: "nonces", args: [owner] }),
      contractRead({ address: token, abi: erc20Abi, functionName: "allowance", args: [owner, spender] }),
    ],
    block,
  );
  if (!called.ok) return { works: false, revert: called.revert };
  const works = nonceAfter.ok && nonceAfter.value === nonce + 1n && allowanceAfter.ok && allowanceAfter.value === value;
  return works ? { works } : { works, revert: null };
}

/** Why a permit does not work; empty where it does. */
export function refusalsOf(trial: PermitTrial): Refusal[] {
  if (trial.works) return [];
  if (trial.revert === null) {
    const message = "The token accepts the permit, and does not set this allowance: approve in a transaction instead";
    return [{ issue: { code: "TOKEN_REASON", message } }];
  }
  const revert = asTokenRevert(trial.revert);
  return [{ issue: { code: revert.name, message: `The simulation of permit failed: ${revert.message}` }, revert }];
}
