import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Hex } from "viem";
import { fromBytes, toBytes } from "../rows/bytes";

/** Encrypts secrets for the database. */
export type SecretBox = {
  /** @param owner id of the row that will hold it: in another row it can't be opened */
  seal(secret: string, owner: string): Hex;
  /** The secret; null where it was sealed with another key or for another row, or was changed. */
  open(sealed: Hex, owner: string): string | null;
};

const ALGORITHM = "aes-256-gcm";
const VERSION = 1;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates a box from SECRETS_KEY. A sealed secret is a version byte, the nonce, the tag and the ciphertext.
 *
 * @param key 32 bytes, hex
 */
export function createSecretBox(key: string): SecretBox {
  const keyBytes = Buffer.from(key, "hex");
  return {
    seal(secret, owner) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, keyBytes, iv).setAAD(Buffer.from(owner));
      const encrypted = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return fromBytes(Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), encrypted]));
    },
    open(sealed, owner) {
      const bytes = toBytes(sealed);
      const [iv, tag] = [bytes.subarray(1, 1 + IV_BYTES), bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES)];
      if (bytes[0] !== VERSION || tag.length < TAG_BYTES) return null;
      const decipher = createDecipheriv(ALGORITHM, keyBytes, iv).setAAD(Buffer.from(owner)).setAuthTag(tag);
      try {
        const text = decipher.update(bytes.subarray(1 + IV_BYTES + TAG_BYTES));
        return Buffer.concat([text, decipher.final()]).toString();
      } catch {
        return null;
      }
    },
  };
}
