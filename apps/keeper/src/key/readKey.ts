import { decryptKeystore } from "@dueday/config/decryptKeystore";
import { readSecretFile } from "@dueday/config/readSecretFile";
import type { Hex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import type { KeySource } from "./keySource";

/** An account, with the texts that must not appear in anything the process writes. */
export type ReadKey = { account: PrivateKeyAccount; secrets: readonly string[] };

const PRIVATE_KEY = /^(?:0x)?([0-9a-fA-F]{64})$/;

/** Reads the key that signs. @returns the account, or the setting that is wrong and why, without any part of a secret */
export async function readKey(source: KeySource): Promise<ReadKey | { setting: string; problem: string }> {
  if (source.kind === "environment") return toAccount("KEEPER_PRIVATE_KEY", source.privateKey);
  if (source.kind === "file") {
    const text = await readSecretFile(source.path);
    return "problem" in text ? { setting: "key.file", ...text } : toAccount("key.file", text.content);
  }
  const [keystore, password] = await Promise.all([readSecretFile(source.path), readSecretFile(source.passwordFile)]);
  if ("problem" in keystore) return { setting: "key.keystore", ...keystore };
  if ("problem" in password) return { setting: "key.password_file", ...password };
  // Editors add a line break at the end of the file, which is not part of the password.
  const secret = password.content.replace(/\r?\n$/, "");
  const key = decryptKeystore(keystore.content, secret);
  if (typeof key !== "string") return { setting: "key.keystore", ...key };
  const read = toAccount("key.keystore", key);
  return "setting" in read ? read : { ...read, secrets: [...read.secrets, ...(secret === "" ? [] : [secret])] };
}

function toAccount(setting: string, text: string): ReadKey | { setting: string; problem: string } {
  const digits = PRIVATE_KEY.exec(text.trim())?.[1];
  if (digits === undefined) return { setting, problem: "must be a private key: 0x and 64 hexadecimal digits" };
  const key: Hex = `0x${digits}`;
  try {
    const lower = digits.toLowerCase();
    return { account: privateKeyToAccount(key), secrets: [...new Set([digits, lower, lower.toUpperCase()])] };
  } catch {
    // Its form is right, but it is zero or beyond the curve's order. The library's message could quote the key.
    return { setting, problem: "is not a valid private key: it is zero, or beyond the order of the curve" };
  }
}
