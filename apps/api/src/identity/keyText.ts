import { randomInt } from "node:crypto";

/**
 * The text of a developer key: `dueday_`, 40 random base62 characters (238 bits), and a checksum of 6 that tells a typing error
 * from an unknown key without asking the database.
 */

const MARK = "dueday_";
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const KEY = new RegExp(`^${MARK}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** Characters of a key that are kept and shown, so that people can tell keys apart. */
const PREFIX_LENGTH = MARK.length + 5;

/** What the database holds of a key. */
export type StoredKeyText = { prefix: string; hash: string };

/** A new key. Its text is shown once and kept nowhere. */
export function createKeyText(): StoredKeyText & { text: string } {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
  const text = `${MARK}${random}${checksumOf(random)}`;
  return { text, prefix: text.slice(0, PREFIX_LENGTH), hash: hashOf(text) };
}

/** The SHA-256 (hex) that a key's text is stored as; null for a text that can't be a key. */
export function hashKeyText(text: string): string | null {
  const [, random, checksum] = KEY.exec(text) ?? [];
  if (random === undefined || checksum !== checksumOf(random)) return null;
  return hashOf(text);
}

function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** CRC-32 of the random part in base62: it finds every single wrong character and every two neighbours swapped. */
function checksumOf(random: string): string {
  let rest = Bun.hash.crc32(random);
  let digits = "";
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
