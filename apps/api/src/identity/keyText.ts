import { randomInt } from "node:crypto";
import { sha256 } from "./sessionToken";

/**
 * The text of a developer key: `dueday_`, 40 random base62 characters (238 bits), and a checksum of 6 that distinguishes a typing
 * error from an unknown key without a database query.
 */

const MARK = "dueday_";
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 40;
const CHECKSUM_LENGTH = 6;
const KEY = new RegExp(`^${MARK}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);

/** Length of the part of a key that is stored and shown, so that people can distinguish keys. */
const PREFIX_LENGTH = MARK.length + 5;

/** The part of a key that the database stores. */
export type StoredKeyText = { prefix: string; hash: string };

/** Creates a key. Its text is shown once and not stored. */
export function createKeyText(): StoredKeyText & { text: string } {
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join("");
  const text = `${MARK}${random}${checksumOf(random)}`;
  return { text, prefix: text.slice(0, PREFIX_LENGTH), hash: sha256(text) };
}

/** The SHA-256 (hex) that a key's text is stored as; null for a text that can't be a key. */
export function hashKeyText(text: string): string | null {
  const [, random, checksum] = KEY.exec(text) ?? [];
  if (random === undefined || checksum !== checksumOf(random)) return null;
  return sha256(text);
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
