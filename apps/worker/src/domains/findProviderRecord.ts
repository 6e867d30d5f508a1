import { Resolver } from "node:dns/promises";
import { within } from "@dueday/core/within";

export type ProviderRecord = {
  /** In the form that DNS uses. */
  domain: string;
  /** What a TXT record at `_dueday.<domain>` has to be. */
  record: string;
  /** Addresses of the servers to ask, with a port where it is another than 53; empty: those of the system. */
  servers: readonly string[];
  /** Ends the look-up, whose result is then not known. */
  signal: AbortSignal;
};

/** Time for each of two attempts. */
const TIMEOUT_MS = 2_000;
const DEADLINE_MS = 5_000;
/** The most records of an answer that are compared. An answer over TCP has up to 64 KiB. */
const MOST_RECORDS = 100;
/** Definite answers: the name, or the name's TXT records, do not exist. */
const ABSENT = ["ENOTFOUND", "ENODATA"];
/** Names that are in no DNS (RFC 2606, RFC 6762): only servers that the operator names can know them. */
const RESERVED = /(?:^|\.)(?:example|test|invalid|localhost|local)$/;

/**
 * Whether DNS has the record that names a provider; null where that is not known, because the resolver does not answer or fails. The
 * library asks over UDP, and over TCP where an answer is truncated; it ignores answers with another id or question.
 */
export async function findProviderRecord({ domain, record, servers, signal }: ProviderRecord): Promise<boolean | null> {
  if (servers.length === 0 && RESERVED.test(domain)) return null;
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  const cancel = () => resolver.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  if (servers.length > 0) resolver.setServers(servers);
  try {
    // The dot at the end keeps the resolver from adding the system's search domains.
    const asked = resolver.resolveTxt(`_dueday.${domain}.`);
    const records = await within("looking up a domain", DEADLINE_MS, asked);
    return records.slice(0, MOST_RECORDS).some((parts) => parts.join("").toLowerCase() === record.toLowerCase());
  } catch (error) {
    return ABSENT.includes(String(Reflect.get(Object(error), "code"))) ? false : null;
  } finally {
    signal.removeEventListener("abort", cancel);
    cancel();
  }
}
