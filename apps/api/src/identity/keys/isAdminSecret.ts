import { timingSafeEqual } from "node:crypto";

/** Compares in a time that says nothing about the secret, its length included. */
export function isAdminSecret(given: string, adminSecret: string): boolean {
  return timingSafeEqual(digest(given), digest(adminSecret));
}

function digest(text: string): Buffer {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}
