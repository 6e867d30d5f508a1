import { formatUnits } from "@dueday/core/amounts/decimalText";
import type { EventView } from "@dueday/core/events/eventView";
import type { AssetChange } from "../../schema/prepareAnswer";

/** What the Transfers among `events` add to and take from `wallet`, net, by token; a token that comes out even is left out. */
export function assetChanges(events: readonly EventView[], wallet: string): AssetChange[] {
  const balances = new Map<string, { symbol: string; decimals: number; units: bigint }>();
  for (const { eventName, token, tokenSymbol = "", tokenDecimals = 0, amountRaw, from, to } of events) {
    if (eventName !== "Transfer" || token === undefined || amountRaw === undefined) continue;
    const known = balances.get(token) ?? { symbol: tokenSymbol, decimals: tokenDecimals, units: 0n };
    if (to === wallet) known.units += BigInt(amountRaw);
    if (from === wallet) known.units -= BigInt(amountRaw);
    balances.set(token, known);
  }
  return [...balances]
    .filter(([, { units }]) => units !== 0n)
    .map(([token, { symbol, decimals, units }]) => {
      const size = units < 0n ? -units : units;
      return {
        token,
        symbol,
        amount: formatUnits(size, decimals),
        amountRaw: size.toString(),
        tokenDecimals: decimals,
        direction: units < 0n ? "out" : "in",
      };
    });
}
