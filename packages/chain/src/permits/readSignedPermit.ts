import { validationError } from "@dueday/core/errors";
import { isSignedByKey } from "@dueday/core/permit/isSignedByKey";
import { hashPermit, type KeptPermit } from "@dueday/core/permit/permit";
import { type Address, getAddress, type Hex, maxUint256 } from "viem";
import { isSignedByWallet } from "../accounts/verifySignature";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { readPermitFacts } from "./readPermitFacts";

export type SignedPermitParameters = {
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

/** A permit that its owner has signed, and the digest that was signed. */
export type SignedPermit = { permit: KeptPermit; hash: Hex };

/**
 * Builds the typed data of a permit again from the chain, and checks that the owner has signed exactly this.
 *
 * @throws ServiceError VALIDATION_ERROR for a value, deadline or signature that is refused, PERMIT_UNSUPPORTED, UPSTREAM_*
 */
export async function readSignedPermit(
  client: ChainClient,
  { contract, token, from, value, deadline, signature, block }: SignedPermitParameters,
): Promise<SignedPermit> {
  if (value > maxUint256)
    throw validationError("value", "OUT_OF_RANGE", "must be at most 2^256 - 1, the largest allowance");
  if (deadline <= block.timestamp)
    throw validationError("deadline", "EXPIRED", "must be in the future, in unix seconds");
  if (deadline > maxUint256) throw validationError("deadline", "OUT_OF_RANGE", "must be at most 2^256 - 1");
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
  return { permit: { ...signed, token, signature, isOfKey, allowance }, hash };
}
