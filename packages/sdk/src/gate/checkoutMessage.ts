import { type Address, getAddress, type Hex } from "viem";
import { CheckoutError } from "./checkoutError";

/** What a payer proves to one shop, for one order: that the account pays for a plan. */
export type CheckoutClaim = {
  /** Origin of the checkout page, such as `https://pay.example`. */
  checkout: string;
  /** The seller's own origin, such as `https://shop.example`. */
  origin: string;
  chainId: number;
  /** Id of the plan. */
  subscription: Hex;
  /** The seller's own name of the order, at most 200 characters; it may be empty. */
  reference: string;
};

/** What the payer's side adds to a claim. */
export type SignedFacts = {
  /** Checksummed. */
  account: Address;
  /** At least eight random letters and digits. */
  nonce: string;
  issuedAt: Date;
};

/** Seconds for which a message may be used. */
export const VALID_SECONDS = 300;
const MOST_REFERENCE = 200;

/**
 * The text that a payer signs after a checkout (EIP-4361). Its domain is the checkout's own host, which wallets compare with the page; its
 * resources name shop, plan and order.
 *
 * @throws RangeError for a reference of more than 200 characters
 * @throws URIError for one with half of a surrogate pair
 *
 * @example
 * const message = checkoutMessage({ checkout, origin, chainId: 8453, subscription, reference, account, nonce, issuedAt: new Date() });
 */
export function checkoutMessage({ account, nonce, issuedAt, ...claim }: CheckoutClaim & SignedFacts): string {
  const { checkout, origin, chainId, subscription, reference } = claim;
  if (reference.length > MOST_REFERENCE) throw new RangeError(`reference has more than ${MOST_REFERENCE} characters`);
  const page = new URL(checkout);
  const expiresAt = new Date(issuedAt.getTime() + VALID_SECONDS * 1000);
  return [
    `${page.host} wants you to sign in with your Ethereum account:`,
    account,
    "",
    `Show ${new URL(origin).host} that this account pays for a plan. This sends no transaction and costs nothing.`,
    "",
    `URI: ${page.origin}`,
    "Version: 1",
    `Chain ID: ${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
    "Resources:",
    `- ${new URL(origin).origin}`,
    `- urn:dueday:plan:eip155:${chainId}:${subscription.toLowerCase()}`,
    `- urn:dueday:reference:${encodeURIComponent(reference)}`,
  ].join("\n");
}

/** Places of the lines that name what a message is for. */
const WRONG = [
  [0, "WRONG_HOST", "another checkout than this one"],
  [7, "WRONG_CHAIN", "another chain"],
  [12, "WRONG_SELLER", "another shop than this one"],
  [13, "WRONG_PLAN", "another plan"],
  [14, "WRONG_REFERENCE", "another order"],
] as const;
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const NONCE = /^Nonce: ([A-Za-z0-9]{8,100})$/;
const ISSUED = /^Issued At: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)$/;

/**
 * What the signer of a message has added to a claim. The text has to be, character by character, what `checkoutMessage` writes: in any other
 * text, its signer may have seen something else than a parser reads.
 *
 * @throws CheckoutError that names what differs
 */
export function readCheckoutMessage(message: string, claim: CheckoutClaim): SignedFacts {
  const lines = message.split("\n");
  const [account = "", nonce, issued] = [lines[1], NONCE.exec(lines[8] ?? "")?.[1], ISSUED.exec(lines[9] ?? "")?.[1]];
  const issuedAt = new Date(issued ?? "");
  if (!ADDRESS.test(account) || nonce === undefined || Number.isNaN(issuedAt.getTime()) || lines[11] !== "Resources:")
    throw new CheckoutError("MALFORMED", "The text is not the message of a checkout");
  // It has the form of an address.
  const facts = { account: account as Address, nonce, issuedAt };
  const expected = checkoutMessage({ ...claim, ...facts });
  if (message === expected) return { ...facts, account: getAddress(account) };
  const wanted = expected.split("\n");
  for (const [place, code, what] of WRONG)
    if (lines[place] !== wanted[place]) throw new CheckoutError(code, `The message was signed for ${what}`);
  throw new CheckoutError("CHANGED", "The message differs from the text that a checkout asks to sign");
}
