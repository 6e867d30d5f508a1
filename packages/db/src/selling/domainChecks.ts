import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { fromBytes, toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/** A profile whose domain is to be looked up. */
export type DueDomain = { provider: Hex; profileDomain: string };

/** Profiles with a domain whose check is due or that changed since the last one, verified ones first, so that new profiles in any number can't keep them waiting. */
export async function readDueDomains(
  database: Database,
  { chainId, contract }: ContractScope,
  { now, first }: { now: Date; first: number },
): Promise<DueDomain[]> {
  const rows = await database.run(
    "read domains to check",
    () => database.sql<{ provider: Uint8Array; domain: string }[]>`
      select p.provider, p.domain from provider_profiles p
      left join domain_checks d on d.chain_id = p.chain_id and d.contract = p.contract and d.provider = p.provider
      where p.chain_id = ${chainId} and p.contract = ${contract} and p.domain <> ''
        and (d.provider is null or d.profile_domain <> p.domain or d.next_check_at <= ${now.toISOString()}::timestamptz)
      order by d.confirmed_at is null, d.next_check_at nulls first, p.provider limit ${first}`,
  );
  return rows.map(({ provider, domain }) => ({ provider: fromBytes(provider), profileDomain: domain }));
}

/** What a look-up found: whether DNS has the record, or null where the resolver failed. */
export type DomainFinding = DueDomain & { domain: string; isConfirmed: boolean | null; now: Date; nextCheckAt: Date };

/** Stores a finding. A resolver that failed leaves the last definite answer about the same text as it is. */
export async function recordDomainCheck(
  database: Database,
  { chainId, contract }: ContractScope,
  { provider, profileDomain, domain, isConfirmed, now, nextCheckAt }: DomainFinding,
): Promise<void> {
  await database.run(
    "store the check of a domain",
    () => database.sql`
      insert into domain_checks as d (chain_id, contract, provider, profile_domain, domain, confirmed_at, next_check_at)
      values (${chainId}, ${contract}, ${toBytes(provider)}, ${profileDomain}, ${domain},
        ${isConfirmed === true ? now.toISOString() : null}::timestamptz, ${nextCheckAt.toISOString()}::timestamptz)
      on conflict (chain_id, contract, provider) do update set
        profile_domain = excluded.profile_domain, domain = excluded.domain, next_check_at = excluded.next_check_at,
        confirmed_at = case when ${isConfirmed === null} and d.profile_domain = excluded.profile_domain
          then d.confirmed_at else excluded.confirmed_at end`,
  );
}
