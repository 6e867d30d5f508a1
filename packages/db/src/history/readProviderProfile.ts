import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { cleanStored } from "../eventIndex/cleanStored";
import { type IndexAnswer, type NoState, readIndex } from "../eventIndex/readIndex";
import { toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { verifiedDomain } from "./verifiedDomain";

/** A profile as its provider published it. Texts are cleaned; `truncated` if one was cut. */
export type StoredProfile = {
  description: string;
  company: string;
  url: string;
  domain: string;
  email: string;
  misc: string;
  truncated: boolean;
  /** `domain` as DNS has it, where DNS names the provider too; null otherwise. */
  verifiedDomain: string | null;
  /** Unix seconds. */
  timestamp: number;
};

/** The latest profile of a provider; `value` is null if there is none. */
export async function readProviderProfile(
  database: Database,
  { chainId, contract }: ContractScope,
  provider: Hex,
): Promise<IndexAnswer<StoredProfile | null> | NoState> {
  return readIndex(database, { chainId, contract }, null, async (sql) => {
    const [row] = await sql<(Omit<StoredProfile, "timestamp"> & { timestamp: string })[]>`
      select description, company, url, domain, email, misc, truncated, timestamp,
        ${verifiedDomain(sql)} as "verifiedDomain"
      from provider_profiles p
      where chain_id = ${chainId} and contract = ${contract} and provider = ${toBytes(provider)}`;
    if (row === undefined) return null;
    const { truncated, timestamp, verifiedDomain: verified, ...texts } = row;
    return { ...cleanStored(texts, truncated), verifiedDomain: verified, timestamp: Number(timestamp) };
  });
}
