import type { Lane } from "@dueday/config/limits";
import type { PortalSession } from "@dueday/db/access/startPortalSession";
import { type IdentityKey, nextIdentityKey } from "@dueday/db/nextIdentityKey";
import { type BucketState, DAY_MS } from "../limits/limiter";
import { type Address, clientNetwork } from "./clientAddress";

/** A client as it is counted and logged: a hash of its address, with another key each UTC day. */
export type ClientIdentity = {
  hash: string;
  /** From TRUSTED_CLIENTS. */
  trusted: boolean;
  /** Yesterday's hash while a minute bucket can still hold admissions under it, else null. */
  previousHash: string | null;
  /** The caller of its requests without a key. It is made with the identity, and not for each request. */
  free: Caller;
};

/** Who makes a request. */
export type Caller = {
  lane: Lane;
  /** The day's hash of the client's address, for the log and the audit. */
  client: string;
  /** The identities whose buckets its requests take from. Minute buckets count under all of them, day buckets under the first. */
  identities: readonly [string, ...string[]];
  /** Its requests are counted and never refused by the limits of a lane. */
  trusted: boolean;
  /** Owner of its developer key or portal session; null on the free lane. What it creates belongs to this subject. */
  subject: string | null;
  /** Id of its developer key, where it presented one. */
  keyId?: string;
  /** Whether its key was created by the admin, who knows its owner: its requests then do not count in the limits of its address. */
  hasOwnLimits?: boolean;
  /** Present where a browser is signed in to the developer portal. */
  session?: PortalSession;
  /** Buckets that were consulted to check its credentials. */
  consulted?: readonly BucketState[];
};

/**
 * How long after midnight yesterday's hash counts too. One minute is needed; the second one allows for processes whose clocks
 * differ.
 */
const OVERLAP_MS = 120_000;

/** 96 bits, 16 characters: two clients never have the same hash in practice. */
const HASH_BYTES = 12;

/** All clients whose address is unknown are counted as one. */
const NO_ADDRESS = "none";

/**
 * Creates the function that turns an address into an identity.
 *
 * @param start yesterday's key, or that of an earlier day
 */
export function createClientIdentity(
  start: IdentityKey,
): (address: Address | null, now: number, trusted?: boolean) => ClientIdentity {
  let yesterday = start;
  let today = nextIdentityKey(start);
  return (address, now, trusted = false) => {
    const day = Math.floor(now / DAY_MS);
    while (today.day < day) {
      yesterday = today;
      today = nextIdentityKey(today);
    }
    const network = address === null ? NO_ADDRESS : clientNetwork(address);
    // The clock stepped back across midnight.
    if (day < today.day) return createIdentity(hashWith(yesterday, network), null, trusted);
    const overlaps = now - day * DAY_MS < OVERLAP_MS;
    return createIdentity(hashWith(today, network), overlaps ? hashWith(yesterday, network) : null, trusted);
  };
}

/** A number that changes when the identities of all clients do: at midnight, and when yesterday's hash stops counting. */
export function identityPeriod(now: number): number {
  return Math.floor(now / DAY_MS) + Math.floor((now - OVERLAP_MS) / DAY_MS);
}

export function createIdentity(hash: string, previousHash: string | null, trusted = false): ClientIdentity {
  const identity = `free:${hash}`;
  const identities: Caller["identities"] = previousHash === null ? [identity] : [identity, `free:${previousHash}`];
  return { hash, trusted, previousHash, free: { lane: "free", client: hash, identities, trusted, subject: null } };
}

function hashWith({ key }: IdentityKey, network: string): string {
  return new Bun.CryptoHasher("sha256", key).update(network).digest().toString("base64url", 0, HASH_BYTES);
}
