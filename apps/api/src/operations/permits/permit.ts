import { formatUnits } from "@dueday/core/amounts/decimalText";
import { ServiceError } from "@dueday/core/errors";
import { Address, described, Hex, Uuid } from "@dueday/core/schema";
import type { PermitView } from "@dueday/core/schemas/permit";
import type { StoredPermit } from "@dueday/db/permits/storePermit";
import { type Static, Type } from "@sinclair/typebox";
import { signer } from "../../operation/addressFaults";
import { inBody } from "../../operation/defineOperation";

/** Bytes of a signature at most: what wallets of several owners need, and no more. */
const LONGEST_SIGNATURE = 4_096;

/** What all operations on permits have in common. */
export const permitOperation = { chainScoped: true, bucket: "write", area: "subscriptions" } as const;

export const permitErrors = [
  "PERMIT_UNSUPPORTED",
  "UPSTREAM_ERROR",
  "UPSTREAM_UNAVAILABLE",
  "UPSTREAM_TIMEOUT",
] as const;

/** USDC on Base, for the documents. */
export const exampleToken = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
export const examplePermitId = "00000000-0000-4000-8000-000000000000";

export const PermitId = described(Uuid, "UUID of a kept permit, lower case");

export const Signature = Type.Unsafe<Static<typeof Hex>>({
  ...Hex,
  minLength: 4,
  maxLength: 2 + 2 * LONGEST_SIGNATURE,
  expects: `hex digits of 1 to ${LONGEST_SIGNATURE} bytes after 0x`,
});

export const permitInput = {
  from: inBody({ ...Address, ...signer, description: "The wallet whose allowance the permit sets" }),
  token: inBody({ ...Address, description: "The token of the allowance" }),
};

/** A permit as answers show it, without its signature. */
export function toPermitView(
  permit: StoredPermit,
  { chainId, decimals }: { chainId: number; decimals: number },
): Static<typeof PermitView> {
  const { id, token, owner, spender, value, nonce, deadline, createdAt } = permit;
  return {
    id,
    chainId,
    token,
    owner,
    spender,
    value: formatUnits(value, decimals),
    valueRaw: value.toString(),
    tokenDecimals: decimals,
    nonce: nonce.toString(),
    deadline: deadline.toString(),
    createdAt: createdAt.toISOString(),
  };
}

/** @param remedy what else the client can do, a sentence */
export function noPermit(remedy?: string): ServiceError {
  const fault =
    "No permit of this id is kept on this chain: it is unknown, was withdrawn, replaced or used, or has expired";
  return new ServiceError("NOT_FOUND", remedy === undefined ? fault : `${fault}. ${remedy}`);
}
