import { amountFields } from "@dueday/core/amounts/tokenAmount";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { type Address, getAddress } from "viem";
import { ether } from "../decide/decide";
import { feesText } from "../plan/planText";
import type { Totals } from "./ledger";

type Fees = readonly { token: Address; units: bigint }[];

/** Names of the fee tokens, for texts; untrusted, and cleaned where they are written. */
export type TokenBook = {
  note(readiness: RemitReadiness): void;
  /** Fees as `0.3 USDC + 1 DAI`. */
  fees(fees: Fees): string;
  totals(totals: Totals): string;
  /** Fees in whole tokens by token address, for metrics. */
  amounts(totals: Totals): { token: Address; amount: number }[];
};

export function createTokenBook(): TokenBook {
  const known = new Map<Address, { symbol: string; decimals: number }>();

  function amountOf({ token, units }: Fees[number]) {
    const { symbol, decimals } = known.get(token) ?? { symbol: `units of ${token}`, decimals: 0 };
    return { symbol, amount: amountFields(units, decimals).amount };
  }

  const listOf = ({ fees }: Totals) => [...fees].map(([token, units]) => ({ token, units }));
  const fees = (list: Fees) => feesText(list.map(amountOf));
  return {
    fees,
    note({ economics }) {
      for (const { token, symbol, tokenDecimals } of economics.callerFees) {
        known.set(getAddress(token), { symbol, decimals: tokenDecimals });
      }
    },
    totals(totals) {
      const { settled, payments, failures, reverted, unexplained, costWei, lossWei, lost } = totals;
      if (settled + reverted + lost === 0 && costWei === 0n) return "nothing was settled";
      const others = unexplained === 0 ? "" : `, ${unexplained} of them not lost to another keeper`;
      const cause = reverted === 0 ? "permits that reverted" : `${reverted} transactions that settled nothing${others}`;
      const losses = lossWei <= 0n ? "" : `; lost ${ether(lossWei)} ETH with ${cause}`;
      const races =
        settled + lost === 0 || Math.min(settled, lost) < 0
          ? ""
          : `, ${Math.round((100 * settled) / (settled + lost))} % of the races won`;
      const work = `${payments} payments (${failures} failed) in ${settled} transactions`;
      return `${work}, earned ${fees(listOf(totals))}, gas ${ether(costWei)} ETH${races}${losses}`;
    },
    // Metrics are floating point: good enough for a graph, not for accounting.
    amounts: (totals) => listOf(totals).map((fee) => ({ token: fee.token, amount: Number(amountOf(fee).amount) })),
  };
}
