import { timingSafeEqual } from "node:crypto";

/** The time of the comparison reveals nothing about the secret, not even its length. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(sha256(given), sha256(secret));
}

function sha256(text: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
