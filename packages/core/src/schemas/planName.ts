import { formatUnits } from "../amounts/decimalText";
import type { TokenInfo } from "../amounts/tokenAmount";
import { toTokenUnits } from "../amounts/tokenUnits";
import type { Frequency } from "../calendar/frequency";

const MOST_CHARACTERS = 60;
const PERIODS = ["week", "month", "quarter", "year"] as const;

/**
 * What a person calls a plan: the first line of its description, at most 60 characters, else amount and period ("10 USDC each month").
 *
 * @param description as it was cleaned; null where it is not known
 */
export function planName(
  { amount, frequency }: { amount: bigint; frequency: Frequency },
  { symbol, decimals }: TokenInfo,
  description: string | null,
): string {
  const [line = ""] = (description ?? "").trimStart().split("\n");
  const name = [...line.trim()].slice(0, MOST_CHARACTERS).join("");
  return name === ""
    ? `${formatUnits(toTokenUnits(amount, decimals), decimals)} ${symbol} each ${PERIODS[frequency]}`
    : name;
}
