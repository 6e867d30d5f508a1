import { createHash } from "node:crypto";

/** The key that hashes clients' addresses during one UTC day. `key` is 32 bytes in hex. */
export type IdentityKey = { day: number; key: string };

/** The key of the day after. There is no way back: who holds today's key can't tell whom yesterday's hashes meant. */
export function nextIdentityKey({ day, key }: IdentityKey): IdentityKey {
  return { day: day + 1, key: createHash("sha256").update(key, "hex").digest("hex") };
}
