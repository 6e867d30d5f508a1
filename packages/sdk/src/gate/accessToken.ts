import type { Address, Hex } from "viem";

/** Content of a visitor's token, signed with the seller's secret. Times are unix seconds. */
export type AccessToken = {
  origin: string;
  chainId: number;
  subscription: Hex;
  account: Address;
  /** When the visitor proved to be the account. */
  since: number;
  /** When the account was last found to pay. */
  checked: number;
};

/** Keeps signatures apart from whatever else the seller signs with the same secret. */
const PURPOSE = "dueday-gate-1";

/** The key of a secret. @throws TypeError for one of less than 32 characters */
export async function tokenKey(secret: string): Promise<CryptoKey> {
  if (secret.length < 32) throw new TypeError("secret must be random text of at least 32 characters");
  const bytes = new TextEncoder().encode(secret);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}

/** The token as text for a cookie. */
export async function writeToken(key: CryptoKey, token: AccessToken): Promise<string> {
  const payload = toBase64(new TextEncoder().encode(JSON.stringify(token)));
  const signature = await crypto.subtle.sign("HMAC", key, signedBytes(payload));
  return `${payload}.${toBase64(new Uint8Array(signature))}`;
}

/** The token of a text; null for one that was not signed with the key. */
export async function readToken(key: CryptoKey, text: string): Promise<AccessToken | null> {
  const [payload = "", signature = "", ...rest] = text.split(".");
  const [given, content] = [fromBase64(signature), fromBase64(payload)];
  if (rest.length > 0 || given === null || content === null) return null;
  // Compares in constant time.
  if (!(await crypto.subtle.verify("HMAC", key, given, signedBytes(payload)))) return null;
  // Only holders of the key can have written it, by `writeToken`.
  return JSON.parse(new TextDecoder().decode(content)) as AccessToken;
}

function signedBytes(payload: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${PURPOSE}.${payload}`);
}

function toBase64(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9_-]+$/.test(text) || text.length > 4_096) return null;
  try {
    const decoded = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(decoded, (character) => character.charCodeAt(0));
  } catch {
    // Not base64: its length fits no number of bytes.
    return null;
  }
}
