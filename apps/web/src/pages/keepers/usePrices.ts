import { useState } from "react";
import { useInstallation } from "../../config/ChainContext";
import { readStored, writeStored } from "../../config/stored";

/** The texts that the reader has typed: the gas price in gwei (null: the present price), and prices of whole tokens in ETH, by address. */
export type TypedPrices = { gas: string | null; tokens: Readonly<Record<string, string>> };

const NONE: TypedPrices = { gas: null, tokens: {} };

/** The reader's own prices on this chain. This browser stores the prices of tokens. A gas price is not stored: it is outdated the next day. */
export function usePrices(): [TypedPrices, (prices: TypedPrices) => void] {
  const key = `dueday-prices-${useInstallation().chain.chainId}`;
  const [prices, setPrices] = useState(() => ({ ...NONE, tokens: readTokens(key) }));
  const change = (next: TypedPrices) => {
    setPrices(next);
    const typed = Object.entries(next.tokens).filter(([, text]) => text !== "");
    writeStored(key, typed.length === 0 ? null : JSON.stringify(Object.fromEntries(typed)));
  };
  return [prices, change];
}

/** Another version of the page may have stored another format. */
function readTokens(key: string): TypedPrices["tokens"] {
  try {
    const stored: unknown = JSON.parse(readStored(key) ?? "{}");
    if (typeof stored !== "object" || stored === null) return {};
    return Object.fromEntries(Object.entries(stored).filter(([, text]) => typeof text === "string"));
  } catch {
    return {};
  }
}
