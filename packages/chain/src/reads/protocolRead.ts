import { protocolAbi } from "@dueday/core/abi/protocol";
import { ServiceError } from "@dueday/core/errors";
import { LIST_LIMIT } from "@dueday/core/paging";
import type { Address, ContractFunctionArgs, ContractFunctionName, ContractFunctionReturnType } from "viem";
import { type ContractRead, contractRead } from "./contractRead";
import type { ReadResult } from "./readMany";

type Abi = typeof protocolAbi;
type View = ContractFunctionName<Abi, "view">;

/** A view call of the protocol contract. */
export function protocolRead<name extends View, const args extends ContractFunctionArgs<Abi, "view" | "pure", name>>(
  contract: Address,
  functionName: name,
  args: args,
): ContractRead<ContractFunctionReturnType<Abi, "view" | "pure", name, args>> {
  return contractRead({ address: contract, abi: protocolAbi, functionName, args });
}

/** `expectValue` of a list of at most LIST_LIMIT entries. With geth's gas for one read, a view returns about 20,000 at most. */
export function expectList<T>(result: ReadResult<readonly T[]>, what: string): readonly T[] {
  const list = expectValue(result, what);
  if (list.length <= LIST_LIMIT) return list;
  throw new ServiceError(
    "UPSTREAM_ERROR",
    `${what} has ${list.length} entries, more than the ${LIST_LIMIT} that are read; the operator has to check the chain's node`,
    { details: { read: what }, retryable: false },
  );
}

/** The value of a read that never reverts on the protocol. Throws UPSTREAM_ERROR for another contract, or too much to read. */
export function expectValue<T>(result: ReadResult<T>, what: string): T {
  if (result.ok) return result.value;
  throw new ServiceError(
    "UPSTREAM_ERROR",
    result.outOfGas
      ? `Reading ${what} needs more gas than the chain's node allows for one read; the operator has to raise that limit`
      : `The contract does not answer ${what} as the protocol does; the operator has to check its address`,
    { details: { read: what, outOfGas: result.outOfGas, revert: result.revert.code }, retryable: false },
  );
}

/**
 * The value of a view of the protocol that may revert, or be too long to be read: null then. Throws UPSTREAM_ERROR for an answer that is
 * not the view's, which must not count as either.
 */
export function valueOrNull<T>(result: ReadResult<T>, what: string): T | null {
  return result.ok || result.isBroken ? expectValue(result, what) : null;
}

/** The figure of a token that may not answer: then 0. */
export function valueOrNone(result: ReadResult<bigint>): bigint {
  return result.ok ? result.value : 0n;
}

/**
 * Whether the error means that the node can't give a state, now or later, so that the next best way may be taken. An answer of the
 * contract that is broken does not: it may come from one node alone.
 */
export function cannotBeRead(error: unknown): error is ServiceError {
  return error instanceof ServiceError && !error.retryable && error.details.outOfGas !== false;
}
