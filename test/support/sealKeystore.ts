import { createCipheriv, randomBytes, scryptSync } from "node:crypto";
import { hexToBytes, keccak256 } from "viem";

/** A keystore as cast writes it. */
export function sealKeystore(privateKey: `0x${string}`, password: string): string {
  const [salt, iv] = [randomBytes(32), randomBytes(16)];
  const derived = scryptSync(password, salt, 32, { N: 8_192, r: 8, p: 1 });
  const cipher = createCipheriv("aes-128-ctr", derived.subarray(0, 16), iv);
  const ciphertext = Buffer.concat([cipher.update(hexToBytes(privateKey)), cipher.final()]);
  const mac = keccak256(Buffer.concat([derived.subarray(16), ciphertext])).slice(2);
  const kdfparams = { dklen: 32, n: 8_192, p: 1, r: 8, salt: salt.toString("hex") };
  const crypto = {
    cipher: "aes-128-ctr",
    cipherparams: { iv: iv.toString("hex") },
    ciphertext: ciphertext.toString("hex"),
  };
  return JSON.stringify({ crypto: { ...crypto, kdf: "scrypt", kdfparams, mac }, id: "", version: 3 });
}
