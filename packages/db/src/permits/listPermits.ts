import { and, eq, inArray } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";
import { permits } from "../schema/permits";
import { type FoundPermits, type PermitPage, pagePermits } from "./pagePermits";
import { isKept } from "./storePermit";

type PermitQuery = ContractScope & {
  token: Hex;
  /** Lower case; null for the permits of all owners. */
  owners: readonly Hex[] | null;
};

/** Kept permits in a token, the oldest first. */
export function listPermits(
  database: Database,
  { token, owners, ...scope }: PermitQuery,
  page: PermitPage,
): Promise<FoundPermits> {
  const ofOwners = owners === null ? undefined : inArray(permits.owner, [...owners]);
  return pagePermits(database, page, () => and(isKept(scope), eq(permits.token, token), ofOwners));
}
