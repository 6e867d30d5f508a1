import { formatAmount } from "../../format/formatAmount";
import { cleanText } from "../../ui/UntrustedText";

const SYMBOL_CHARACTERS = 12;

/** The symbol of the plan's token, and amounts with it. A token's symbol is text by a stranger. */
export function moneyOf({ subscription }: { subscription: { tokenSymbol: string } }) {
  const symbol = cleanText(subscription.tokenSymbol).slice(0, SYMBOL_CHARACTERS) || "tokens";
  return { symbol, money: (amount: string) => `${formatAmount(amount)} ${symbol}` };
}
