import { decimalToUnits, formatAmount, formatInteger } from "../../format/formatAmount";
import { descriptionOf, type PlanTerms, type Token } from "./planTerms";

const NAME_CHARACTERS = 60;
/** Fewer than the 59 digits before the point for which the contract has room. */
const PRICE_CHARACTERS = 40;
const DESCRIPTION_BYTES = 4_096;
const PRICE = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;

type PricedIn = Pick<Token, "decimals" | "minimum"> & { /** Cleaned. */ symbol: string };

export type PlanFaults = { name?: string; price?: string; description?: string };

/** Why a plan can't be created as it was typed, by field: what is allowed, and what to do. Empty where nothing is wrong. */
export function planFaults(terms: Pick<PlanTerms, "name" | "price" | "description">, token: PricedIn): PlanFaults {
  const faults: PlanFaults = {};
  const characters = [...terms.name.trim()].length;
  if (characters === 0 || characters > NAME_CHARACTERS)
    faults.name = `Name must have 1 to ${NAME_CHARACTERS} characters. Type what payers will see, such as "The Coast, for readers".`;
  const price = priceFault(terms.price, token);
  if (price !== undefined) faults.price = price;
  const bytes = new TextEncoder().encode(descriptionOf(terms)).length;
  if (bytes > DESCRIPTION_BYTES)
    faults.description = `Name and description together must have at most ${formatInteger(DESCRIPTION_BYTES)} bytes, and have ${formatInteger(bytes)}. Shorten the description.`;
  return faults;
}

/** Why a price can't be charged in a token; undefined where it can. */
export function priceFault(price: string, { symbol, decimals, minimum }: PricedIn): string | undefined {
  const units = PRICE.test(price) && price.length <= PRICE_CHARACTERS ? decimalToUnits(price, decimals) : null;
  if (units === null)
    return `Price must be a number of ${symbol} with at most ${decimals} decimals after a point, such as 12.50. Type it without signs and spaces.`;
  const least = decimalToUnits(minimum, decimals) ?? 0n;
  if (units === 0n || units < least)
    return `Price must be at least ${formatAmount(minimum, decimals)} ${symbol}. Type a higher price.`;
  return undefined;
}
