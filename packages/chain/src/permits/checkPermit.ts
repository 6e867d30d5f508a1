import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { encodePermit } from "@dueday/core/calldata/encodePermit";
import { validationError } from "@dueday/core/errors";
import { isSignedByKey } from "@dueday/core/permit/isSignedByKey";
import { hashPermit, type KeptPermit, LONGEST_PERMIT_SECONDS } from "@dueday/core/permit/permit";
import { type Address, getAddress, type Hex, maxUint256 } from "viem";
import { isSignedByWallet } from "../accounts/verifySignature";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { simulationFailed } from "../prepare/refusalErrors";
import { readPermitFacts } from "./readPermitFacts";
import { refusalsOf, tryPermit } from "./tryPermit";

export type CheckPermitParameters = {
  contract: Address;
  token: Address;
  /** The owner of the allowance. */
  from: string;
  /** Token units. */
  value: bigint;
  /** Unix seconds. */
  deadline: bigint;
  signature: Hex;
  block: ChainBlock;
};

/** A permit that works at one block, and the digest that was signed. */
export type CheckedPermit = { permit: KeptPermit; hash: Hex };

/**
 * Builds the typed data of a permit again from the chain, checks that the owner has signed exactly this, and runs it on the chain's state.
 *
 * @throws ServiceError VALIDATION_ERROR for a value, deadline or signature that is refused, PERMIT_UNSUPPORTED, SIMULATION_FAILED, UPSTREAM_*
 */
export async function checkPermit(
  client: ChainClient,
  { contract, token, from, value, deadline, signature, block }: CheckPermitParameters,
): Promise<CheckedPermit> {
  if (value > maxUint256)
    throw validationError("value", "OUT_OF_RANGE", "must be at most 2^256 - 1, the largest allowance");
  requireDeadline(deadline, block);
  const owner = getAddress(from);
  const { domain, nonce, allowance } = await readPermitFacts(client, { contract, token, owner, block });
  const signed = { owner, spender: contract, value, nonce, deadline };
  const hash = hashPermit(domain, signed);
  const isOfKey = await isSignedByKey(hash, owner, signature);
  if (!isOfKey && !(await isSignedByWallet(client, { address: owner, hash, signature }))) {
    throw validationError(
      "signature",
      "WRONG_SIGNATURE",
      "must be the signature of from over the typed data of a permit for this token, value, deadline and the current nonce: prepare a permit, and sign it unchanged",
    );
  }
  const permit = { ...signed, token, signature, isOfKey, allowance };
  const trial = await tryPermit(client, { token, permit, data: encodePermit(permit), block });
  const [refusal] = refusalsOf(trial);
  if (refusal !== undefined) throw simulationFailed(refusal);
  return { permit, hash };
}

function requireDeadline(deadline: bigint, { timestamp }: ChainBlock): void {
  if (deadline <= timestamp) throw validationError("deadline", "EXPIRED", "must be in the future, in unix seconds");
  if (deadline > timestamp + BigInt(LONGEST_PERMIT_SECONDS)) {
    const days = LONGEST_PERMIT_SECONDS / DAY_SECONDS;
    throw validationError("deadline", "OUT_OF_RANGE", `must be within ${days} days from now, in unix seconds`);
  }
}
