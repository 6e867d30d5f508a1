import type { Hex } from "viem";
/** What the address of a checkout asks for. */
export type CheckoutRequest = {
  /** Id of the plan, unchecked: the service refuses one that is not valid. */
  id: Hex;
  /** Null: the chain that the service serves by default. */
  chainId: number | null;
  /** The seller's own identifier of this sale. */
  reference: string | null;
  /** Where the payer returns to, unchecked: the service answers whether the seller allows it. */
  returnUrl: string | null;
  /** Charges that the approval covers besides the first one. */
  periods: number;
  /** Whether the payer signs a proof for the seller. */
  proof: boolean;
  /** Origin that the page that opened this one has given, unchecked: a message is sent to it only where the seller lists it. */
  origin: string | null;
};

const REFERENCE_CHARACTERS = 200;
const MOST_PERIODS = 120;
/** Default of `periods`: a year of a monthly plan. */
export const USUAL_PERIODS = 12;

/**
 * Reads the address of a checkout, `/pay/0x...?reference=&return_url=&periods=&proof=1&chainId=&origin=`.
 *
 * @throws RangeError with a sentence for the payer where a field is not allowed
 */
export function readRequest({ pathname, search }: { pathname: string; search: string }): CheckoutRequest {
  const query = new URLSearchParams(search);
  const reference = query.get("reference");
  if (reference !== null && reference.length > REFERENCE_CHARACTERS)
    throw new RangeError(`The reference of this link is longer than ${REFERENCE_CHARACTERS} characters.`);
  const chainId = query.get("chainId");
  return {
    id: (pathname.split("/")[2] ?? "") as Hex, // the service refuses what is not an id
    chainId: chainId === null ? null : readInteger("chainId", chainId, Number.MAX_SAFE_INTEGER),
    reference,
    returnUrl: query.get("return_url"),
    periods: readInteger("periods", query.get("periods") ?? String(USUAL_PERIODS), MOST_PERIODS),
    proof: query.get("proof") === "1",
    origin: query.get("origin"),
  };
}

function readInteger(name: string, text: string, most: number): number {
  const value = /^[1-9]\d*$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw new RangeError(`${name} of this link must be a whole number from 1 to ${most}.`);
  return value;
}
