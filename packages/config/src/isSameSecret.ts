import { timingSafeEqual } from "node:crypto";

/** Compares in a time that reveals nothing of the secret, its length included. */
export function isSameSecret(given: string, secret: string): boolean {
  return timingSafeEqual(sha256(given), sha256(secret));
}

function sha256(text: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
