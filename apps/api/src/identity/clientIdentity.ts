import { type IdentityKey, nextIdentityKey } from "@dueday/db/nextIdentityKey";
import { DAY_MS } from "../limits/limiter";
import { type Address, clientNetwork } from "./clientAddress";

/** A client as it is counted and logged: a hash of its address, with another key each UTC day. */
export type ClientIdentity = {
  hash: string;
  /** Yesterday's hash while a minute bucket can still hold admissions under it, else null. */
  previousHash: string | null;
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
 * @param start the key of the day before the first one that will be needed, or of an earlier day
 */
export function createClientIdentity(start: IdentityKey): (address: Address | null, now: number) => ClientIdentity {
  let yesterday = start;
  let today = nextIdentityKey(start);
  return (address, now) => {
    const day = Math.floor(now / DAY_MS);
    while (today.day < day) {
      yesterday = today;
      today = nextIdentityKey(today);
    }
    const network = address === null ? NO_ADDRESS : clientNetwork(address);
    // The clock stepped back across midnight.
    if (day < today.day) return { hash: hashWith(yesterday, network), previousHash: null };
    const overlaps = now - day * DAY_MS < OVERLAP_MS;
    return { hash: hashWith(today, network), previousHash: overlaps ? hashWith(yesterday, network) : null };
  };
}

function hashWith({ key }: IdentityKey, network: string): string {
  return new Bun.CryptoHasher("sha256", key).update(network).digest().toString("base64url", 0, HASH_BYTES);
}
