import { createHash } from "node:crypto";

/** The key that hashes clients' addresses during one UTC day. `key` is 32 bytes in hex. */
export type IdentityKey = { day: number; key: string };

/**
 * The key of the next day. It can't be reversed: today's key does not reveal which addresses yesterday's hashes belong to.
 */
export function nextIdentityKey({ day, key }: IdentityKey): IdentityKey {
  return { day: day + 1, key: createHash("sha256").update(key, "hex").digest("hex") };
}
