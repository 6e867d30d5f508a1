import { expectValue } from "@dueday/chain/reads/protocolRead";
import type { AccountRow } from "@dueday/chain/reads/readAccountRows";
import type { ReadResult } from "@dueday/chain/reads/readMany";
import { ServiceError } from "@dueday/core/errors";

/**
 * All rows of an account. The contract has no way to read some of them, so an account of some thousand rows is refused.
 *
 * @throws ServiceError UPSTREAM_ERROR with another way to the same.
 */
export function expectRows(result: ReadResult<AccountRow[]>): AccountRow[] {
  if (result.ok || !result.outOfGas) return expectValue(result, "getAccountSubscriptions");
  throw new ServiceError(
    "UPSTREAM_ERROR",
    "This account has more subscriptions than the chain's node can list at once: what it created is in GET /subscriptions with " +
      "provider, what it joined in GET /accounts/:address/activity",
    { details: { read: "getAccountSubscriptions", outOfGas: true }, retryable: false },
  );
}
