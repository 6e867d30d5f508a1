import { amountFields } from "@dueday/core/amounts/tokenAmount";
import type { EventView } from "@dueday/core/events/eventView";
import { zeroAddress } from "viem";
import type { AssetChange } from "./prepareAnswer";

type Balance = { account: string; token: string; symbol: string; decimals: number; units: bigint };

/** Who gains and loses which token by the Transfers among `events`, net; who comes out even, and the zero address, are left out. */
export function assetChanges(events: readonly EventView[]): AssetChange[] {
  const balances = new Map<string, Balance>();
  for (const { eventName, token, tokenSymbol = "", tokenDecimals = 0, amountRaw, from, to } of events) {
    if (eventName !== "Transfer" || token === undefined || amountRaw === undefined) continue;
    const move = (account: string | undefined, units: bigint) => {
      if (account === undefined || account === zeroAddress) return;
      const key = `${account}:${token}`;
      const known = balances.get(key) ?? { account, token, symbol: tokenSymbol, decimals: tokenDecimals, units: 0n };
      balances.set(key, { ...known, units: known.units + units });
    };
    move(from, -BigInt(amountRaw));
    move(to, BigInt(amountRaw));
  }
  return [...balances.values()]
    .filter(({ units }) => units !== 0n)
    .map(({ account, token, symbol, decimals, units }) => ({
      account,
      token,
      symbol,
      ...amountFields(units < 0n ? -units : units, decimals),
      direction: units < 0n ? "out" : "in",
    }));
}
