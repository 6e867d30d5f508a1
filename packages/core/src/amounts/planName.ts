import { cleanText } from "../text/cleanText";
import { formatUnits } from "./decimalText";
import type { TokenInfo } from "./tokenAmount";
import { toTokenUnits } from "./tokenUnits";

const LONGEST_NAME = 60;
const EACH = ["each week", "each month", "each quarter", "each year"] as const;

/** What a plan's name is made from; `amount` has 18 decimals. */
export type NamedPlan = { description: string | null; amount: bigint; frequency: number; token: TokenInfo };

/** The name of a plan: the first line of its description, at most 60 characters; without one, such as "10 USDC each month". Untrusted text. */
export function planName({ description, amount, frequency, token }: NamedPlan): string {
  const [line = ""] = cleanText(description ?? "")
    .text.trim()
    .split(/[\r\n]/);
  const name = line.trim();
  if (name !== "") return [...name].slice(0, LONGEST_NAME).join("");
  return `${formatUnits(toTokenUnits(amount, token.decimals), token.decimals)} ${token.symbol} ${EACH[frequency] ?? ""}`.trim();
}
