import { formatAmount } from "../../format/formatAmount";
import { cleanSymbol } from "../../ui/UntrustedText";

/** The symbol of the plan's token, and amounts with it. */
export function moneyOf({ subscription }: { subscription: { tokenSymbol: string } }) {
  const symbol = cleanSymbol(subscription.tokenSymbol) || "tokens";
  return { symbol, money: (amount: string) => `${formatAmount(amount)} ${symbol}` };
}
