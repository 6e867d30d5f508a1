import { createDecipheriv, pbkdf2Sync, timingSafeEqual } from "node:crypto";
import { scrypt } from "@noble/hashes/scrypt";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { bytesToHex, type Hex, hexToBytes, keccak256 } from "viem";

const bytes = (length: string) => Type.String({ pattern: `^(?:0x)?(?:[0-9a-fA-F]{2})${length}$` });

const Kdf = { dklen: Type.Literal(32), salt: bytes("{1,64}") };
const Common = { cipher: Type.Literal("aes-128-ctr"), cipherparams: Type.Object({ iv: bytes("{16}") }) };
const Sealed = { ...Common, ciphertext: bytes("{32}"), mac: bytes("{32}") };

/** Limits the work of the derivation, because somebody may have replaced the file. 2^20 is four times the `n` of geth. */
const Scrypt = Type.Object({
  ...Sealed,
  kdf: Type.Literal("scrypt"),
  kdfparams: Type.Object({
    ...Kdf,
    n: Type.Integer({ minimum: 2, maximum: 2 ** 20 }),
    r: Type.Integer({ minimum: 1, maximum: 32 }),
    p: Type.Integer({ minimum: 1, maximum: 64 }),
  }),
});
const Pbkdf2 = Type.Object({
  ...Sealed,
  kdf: Type.Literal("pbkdf2"),
  kdfparams: Type.Object({
    ...Kdf,
    c: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    prf: Type.Literal("hmac-sha256"),
  }),
});
const Keystore = Type.Object({ version: Type.Literal(3), crypto: Type.Union([Scrypt, Pbkdf2]) });
type Sealed = Static<typeof Keystore>["crypto"];

/**
 * Opens a keystore of version 3 (Web3 Secret Storage), as geth and cast write it.
 *
 * @returns the private key, or why there is none; neither the password nor any part of the key is in the reason
 */
export function decryptKeystore(text: string, password: string): Hex | { problem: string } {
  const keystore = parse(text);
  if (!Value.Check(Keystore, keystore)) {
    return { problem: "is not a keystore of version 3 with aes-128-ctr and scrypt or pbkdf2" };
  }
  const { crypto } = keystore;
  const derived = deriveKey(crypto, password);
  if (derived === null)
    return { problem: "has parameters of scrypt that are not valid, or that need more than 1 GiB of memory" };
  const ciphertext = fromHex(crypto.ciphertext);
  const mac = keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext]), "bytes");
  if (!timingSafeEqual(mac, fromHex(crypto.mac))) {
    return { problem: "does not open with this password, or is damaged" };
  }
  const decipher = createDecipheriv("aes-128-ctr", derived.subarray(0, 16), fromHex(crypto.cipherparams.iv));
  return bytesToHex(Buffer.concat([decipher.update(ciphertext), decipher.final()]));
}

function deriveKey(crypto: Sealed, password: string): Uint8Array | null {
  const salt = fromHex(crypto.kdfparams.salt);
  if (crypto.kdf === "pbkdf2") return pbkdf2Sync(password, salt, crypto.kdfparams.c, 32, "sha256");
  const { n, r, p } = crypto.kdfparams;
  try {
    // Not the runtime's own scrypt: it refuses n 262144 with r 1, which some keystores have. The default limit of 1 GiB
    // of memory bounds n * r.
    return scrypt(new TextEncoder().encode(password), salt, { N: n, r, p, dkLen: 32 });
  } catch {
    // N is not a power of two, or scrypt would need too much memory.
    return null;
  }
}

/** Older tools write `Crypto` with a capital letter. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null) return null;
    return "Crypto" in value ? { ...value, crypto: value.Crypto } : value;
  } catch {
    return null;
  }
}

function fromHex(text: string): Uint8Array {
  return hexToBytes(text.startsWith("0x") ? `0x${text.slice(2)}` : `0x${text}`);
}
