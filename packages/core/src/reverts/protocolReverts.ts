/** Name and sentence for each number that the protocol reverts with (protocol part 2, Reverts). */
export const protocolReverts = {
  "0": {
    name: "SUBSCRIBER_IS_PROVIDER",
    message: "A provider can't subscribe to its own subscription; use another wallet.",
  },
  "1": { name: "TOKEN_ALREADY_ADDED", message: "The token is approved already." },
  "3": {
    name: "UNKNOWN_OR_UNSUBSCRIBED",
    message: "The subscription does not exist, or this wallet has unsubscribed from it already.",
  },
  "4": { name: "ZERO_TOKEN", message: "The token is the zero address; name an approved ERC-20 token." },
  "5": {
    name: "TOKEN_NOT_APPROVED",
    message: "The protocol does not accept this token; choose one of the approved tokens.",
  },
  "6": {
    name: "NOTHING_TO_REMIT",
    message: "Every day with payments up to today is settled; try again tomorrow (UTC).",
  },
  "8": { name: "NOT_THE_PROVIDER", message: "Only the provider of this subscription may remove its subscribers." },
  "9": { name: "NOT_SUBSCRIBED", message: "This wallet is not subscribed, or has unsubscribed already." },
  "10": {
    name: "INSUFFICIENT_ALLOWANCE_OR_BALANCE",
    message:
      "The wallet's token balance, or its allowance for the protocol, is below the amount; top up or approve first.",
  },
  "13": { name: "ONLY_PROVIDER_MAY_CANCEL", message: "Only the provider of this subscription may cancel it." },
  "14": { name: "WEEKLY_DUE_DAY", message: "dueDay of a weekly subscription must be 1 (Monday) to 7 (Sunday)." },
  "15": { name: "MONTHLY_DUE_DAY", message: "dueDay of a monthly subscription must be 1 to 28." },
  "16": { name: "QUARTERLY_DUE_DAY", message: "dueDay of a quarterly subscription must be 1 to 90." },
  "17": { name: "YEARLY_DUE_DAY", message: "dueDay of a yearly subscription must be 1 to 365." },
  "18": { name: "BELOW_MINIMUM", message: "The amount is below the token's minimum; choose a higher one." },
  "19": { name: "REENTRANCY", message: "The token called back into the protocol; this token can't be used." },
  "20": { name: "TOKEN_PAUSED", message: "The protocol has paused this token; wait until it is resumed." },
  "22": { name: "NO_SUBSCRIBERS", message: "The subscription has no subscribers." },
  "23": { name: "CANCELLED", message: "The subscription is cancelled." },
  "24": {
    name: "PAGE_CHECKPOINT",
    message: "A remit has stopped at this subscription, and the next one continues there; subscribe after it.",
  },
  "25": { name: "ALREADY_SUBSCRIBED", message: "This wallet is subscribed already." },
} as const;

export type ProtocolRevertCode = keyof typeof protocolReverts;

export function isProtocolRevert(code: string): code is ProtocolRevertCode {
  return Object.hasOwn(protocolReverts, code);
}

/** Sentences for the Solidity panics that can occur. */
export const panics = {
  "17": { name: "PANIC_ARITHMETIC", message: "The contract's arithmetic went below zero or above its maximum." },
  "18": { name: "PANIC_DIVISION_BY_ZERO", message: "The contract divided by zero." },
  "33": { name: "PANIC_ENUM", message: "A value is outside its enumeration." },
  "50": { name: "PANIC_INDEX", message: "The contract read beyond the end of a list." },
} as const;
