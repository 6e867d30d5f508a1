import { domainName } from "@dueday/core/text/domainName";
import { type DueDomain, readDueDomains, recordDomainCheck } from "@dueday/db/selling/domainChecks";
import { getAddress } from "viem";
import type { ChainContext } from "../context";
import { findProviderRecord } from "./findProviderRecord";

const HOUR_MS = 3_600_000;
const AFTER_ANSWER_MS = 24 * HOUR_MS;
const AFTER_FAILURE_MS = HOUR_MS;
/** The most domains of one run: anyone can create profiles, which cost only gas. */
const MOST_DOMAINS = 50;
const AT_ONCE = 10;

export type DomainChecks = {
  /** Addresses of name servers; empty: those of the system. */
  servers: readonly string[];
  /** Ends the look-ups under way; what they would have found is not stored. */
  signal: AbortSignal;
};

/** Looks up the domains of profiles: those that changed, and each once a day, or each hour while its look-up fails. Nothing but one TXT record of each is asked for. */
export async function checkDomains(context: ChainContext, checks: DomainChecks): Promise<void> {
  const { database, chain, clock } = context;
  const waiting = (await readDueDomains(database, chain, { now: new Date(clock()), first: MOST_DOMAINS })).values();
  const work = async () => {
    for (const due of waiting) if (!checks.signal.aborted) await checkDomain(context, checks, due);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function checkDomain(
  { database, chain, clock, logger }: ChainContext,
  { servers, signal }: DomainChecks,
  { provider, profileDomain }: DueDomain,
): Promise<void> {
  const domain = domainName(profileDomain);
  const record = `provider=eip155:${chain.chainId}:${getAddress(provider)}`;
  // A text that is not a domain can't be verified.
  const isConfirmed = domain === null ? false : await findProviderRecord({ domain, record, servers, signal });
  if (signal.aborted) return;
  const now = new Date(clock());
  const nextCheckAt = new Date(now.getTime() + (isConfirmed === null ? AFTER_FAILURE_MS : AFTER_ANSWER_MS));
  const finding = { provider, profileDomain, domain: domain ?? "", isConfirmed, now, nextCheckAt };
  await recordDomainCheck(database, chain, finding);
  logger.debug({ provider, domain, isConfirmed }, "looked up the domain of a profile");
}
