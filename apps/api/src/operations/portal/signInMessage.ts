import type { Issue } from "@dueday/core/errors";
import type { Address } from "viem";
import { parseSiweMessage } from "viem/siwe";

/** What a wallet signs to sign in, in the form of EIP-4361. */
export type SignInFacts = {
  address: Address;
  /** Of the portal's pages, such as https://dueday.example. */
  origin: string;
  chainId: number;
  /** Random letters and digits. */
  nonce: string;
  issuedAt: Date;
  expiresAt: Date;
};

const STATEMENT = "Sign in to the developer portal of Dueday. This sends no transaction and costs nothing.";

/**
 * The message as EIP-4361 has it. viem's `createSiweMessage` makes the same text, but refuses host names without a dot, as in
 * private networks, and IPv6 addresses; both are domains in EIP-4361.
 */
export function signInMessage({ address, origin, chainId, nonce, issuedAt, expiresAt }: SignInFacts): string {
  return [
    `${new URL(origin).host} wants you to sign in with your Ethereum account:`,
    address,
    "",
    STATEMENT,
    "",
    `URI: ${origin}`,
    "Version: 1",
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join("\n");
}

/** The nonce of a signed text; null where it has none. */
export function nonceOf(message: string): string | null {
  return parseSiweMessage(message).nonce ?? null;
}

/**
 * Compares a signed text with the message that was issued. It has to be exactly the same: whatever a parser reads out of another
 * text, its signer may have seen something else.
 *
 * @returns a fault for each of domain, address and chain id that differs, else one fault for any other difference; none where the texts
 * are the same
 */
export function compareMessage(message: string, issued: SignInFacts): Issue[] {
  if (message === signInMessage(issued)) return [];
  const { domain, address, chainId } = parseSiweMessage(message);
  const host = new URL(issued.origin).host;
  const issues: Issue[] = [];
  const add = (code: Issue["code"], fault: string) => issues.push({ code, path: "message", message: fault });
  if (domain !== host) add("WRONG_DOMAIN", `is for another domain than ${host}: sign only what this portal asks for`);
  if (address !== issued.address) add("WRONG_ADDRESS", "is for another address than its challenge");
  if (chainId !== issued.chainId) add("WRONG_CHAIN", `has another Chain ID than ${issued.chainId}`);
  if (issues.length === 0)
    add("CHANGED", "differs from the message of its challenge: sign that text without any change");
  return issues;
}
