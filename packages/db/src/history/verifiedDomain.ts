import type { TransactionSql } from "postgres";

/**
 * The verified domain of the provider of `p`, a row of provider_profiles; null without one. While the resolver fails, a domain stays verified
 * until two days after DNS last had the record, and not longer than the profile names it.
 */
export function verifiedDomain(sql: TransactionSql) {
  return sql`(select d.domain from domain_checks d where d.chain_id = p.chain_id and d.contract = p.contract
    and d.provider = p.provider and d.profile_domain = p.domain and d.confirmed_at > now() - interval '2 days')`;
}
