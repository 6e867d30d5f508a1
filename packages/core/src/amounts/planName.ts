import { firstLine } from "../text/firstLine";
import { formatUnits } from "./decimalText";
import type { TokenInfo } from "./tokenAmount";
import { toTokenUnits } from "./tokenUnits";

const EACH = ["each week", "each month", "each quarter", "each year"] as const;

/** What a plan's name is made from; `amount` has 18 decimals, `description` is null where it is not known. */
export type NamedPlan = {
  description: string | null;
  amount: bigint;
  frequency: number;
  token: Pick<TokenInfo, "symbol" | "decimals">;
};

/**
 * The name of a plan: the first line of its description, at most 60 characters; without a description, a text such as
 * "10 USDC each month". Untrusted text.
 */
export function planName({ description, amount, frequency, token }: NamedPlan): string {
  const name = firstLine(description ?? "");
  if (name !== "") return name;
  return `${formatUnits(toTokenUnits(amount, token.decimals), token.decimals)} ${token.symbol} ${EACH[frequency] ?? ""}`.trim();
}
