import type { Warning } from "@dueday/core/errors";
import { DatabaseError } from "@dueday/db/databaseError";
import { hasPermits, permitsOf, type StoredPermit } from "@dueday/db/permits/storePermit";
import type { Address } from "viem";
import type { Context } from "../../operation/context";

/** The kept permits of one answer. A plan does not need the database: where the database does not answer, permits are not known. */
export type KeptPermits = {
  hasAny(): Promise<boolean>;
  of(payers: readonly { token: Address; owner: Address }[]): Promise<StoredPermit[]>;
  /** One warning where the database did not answer, else none. */
  warnings(): Warning[];
};

const permitsUnknown: Warning = {
  code: "PERMITS_UNKNOWN",
  message: "The database of this service does not answer: it is not known whether kept permits would save payments.",
};

export function readKeptPermits({
  chain,
  database,
  logger,
}: Pick<Context, "chain" | "database" | "logger">): KeptPermits {
  const { contract, chainId } = chain.config;
  const scope = { chainId, contract };
  let isUnknown = false;

  async function unlessAway<T>(read: Promise<T>, otherwise: T): Promise<T> {
    try {
      return await read;
    } catch (err) {
      if (!(err instanceof DatabaseError) || !err.retryable) throw err;
      isUnknown = true;
      logger.warn({ err }, "the database does not answer: a plan is made without kept permits");
      return otherwise;
    }
  }

  return {
    hasAny: () => unlessAway(hasPermits(database, scope), false),
    of: (payers) => unlessAway(permitsOf(database, scope, payers), []),
    warnings: () => (isUnknown ? [permitsUnknown] : []),
  };
}
