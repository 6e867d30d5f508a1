import { formatUnits } from "@dueday/core/amounts/decimalText";
import type { Prices } from "@dueday/core/remit/transactionProfit";
import { highest, lowest } from "../bigints";
import { type CostedRemit, costRemits, type GasMarket, type PlannedRemit } from "./costRemits";

/** What the operator wants. */
export type Rules = {
  /** The least that the sent transactions have to earn in all, net, wei; null: settle at any loss within `maxGasPrice` and `maxLossWei`. */
  minProfitWei: bigint | null;
  /** Highest price that is signed, wei per gas. */
  maxGasPrice: bigint;
  /** Gas that one transaction may have; null: as much as a block. */
  gasCap: bigint | null;
  /** Most that may be lost in 24 hours, wei; null: what five transactions like the next one cost. */
  maxLossWei: bigint | null;
};

/** Whether the plan has something to settle, or why it is blocked. */
export type PlanState = { state: "due" | "idle" } | { state: "blocked"; reason: string };

export type DecisionInput = {
  plan: PlanState;
  /** The planned transactions that are still to be sent, in order. */
  remits: readonly PlannedRemit[];
  prices: Prices;
  market: GasMarket;
  balanceWei: bigint;
  rules: Rules;
  /** Net of the transactions of this plan that were mined already, wei. */
  earnedWei: bigint;
  /** What was lost in the last 24 hours, wei, plus what signed transactions may cost that are not known to be mined. */
  lostWei: bigint;
};

/** Fees to sign a transaction with, wei per gas. */
export type SignedFees = { maxFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** Why nothing is sent. A reason to wait can change by itself; a reason to stop needs the operator. */
export type WaitReason = "idle" | "gas_price" | "unprofitable" | "no_price";
export type StopReason = "blocked" | "out_of_gas" | "gas_cap" | "loss_limit";

export type Decision = {
  reason: string;
  rows: readonly CostedRemit[];
} /** `capPerGas`: the highest price at which the transactions keep the rules. */ & (
  | { action: "send"; count: number; fees: SignedFees; capPerGas: bigint }
  | { action: "wait"; why: WaitReason }
  | { action: "stop"; why: StopReason }
);

const ETHER_DECIMALS = 18;
/** The default of `maxLossWei`, in transactions. */
const MOST_LOST_TRANSACTIONS = 5n;

/**
 * How many transactions of the plan to send now: the first ones, up to where the sum of their nets is highest, if that sum plus
 * what the plan has earned already reaches the least profit; all of them where any loss is accepted. Fees in tokens without a price count as nothing.
 */
export function decide(input: DecisionInput): Decision {
  const { plan, market, rules, balanceWei } = input;
  const rows = costRemits(input);
  const wait = (why: WaitReason, reason: string): Decision => ({ action: "wait", why, reason, rows });
  const stop = (why: StopReason, reason: string): Decision => ({ action: "stop", why, reason, rows });

  if (plan.state === "blocked" && rows.length === 0) return stop("blocked", plan.reason);
  if (rows.length === 0 || plan.state === "idle") return wait("idle", "nothing is due");
  const gasPrice = market.baseFee + market.tip;
  if (gasPrice > rules.maxGasPrice) {
    return wait(
      "gas_price",
      `gas costs ${gwei(gasPrice)} gwei, more than the ${gwei(rules.maxGasPrice)} of max_gas_price_gwei`,
    );
  }
  const possible = countWhile(rows, ({ gas }) => rules.gasCap === null || gas <= rules.gasCap);
  if (possible === 0)
    return stop("gas_cap", `the next remit() needs more than the ${rules.gasCap} gas of one transaction`);
  const best = bestPrefix(rows.slice(0, possible), input);
  if (best === 0) return unprofitable(input, rows, wait);
  const affordable = countAffordable(rows, balanceWei, gasPrice);
  const count = affordable >= best ? best : bestPrefix(rows.slice(0, affordable), input);
  if (count === 0) {
    const needed = (rows[0]?.gasLimit ?? 0n) * gasPrice + (rows[0]?.rollupFeesWei ?? 0n);
    return stop("out_of_gas", `the address has ${ether(balanceWei)} ETH; the next transaction needs ${ether(needed)}`);
  }
  const [next] = rows;
  if (next !== undefined && next.gasLimit * gasPrice + next.rollupFeesWei > lossLeft(input, next)) {
    return stop("loss_limit", lossReason(input, next));
  }
  return {
    action: "send",
    count,
    ...feesToSign(input, rows.slice(0, count)),
    reason: sendReason(input, rows, { count, best, possible }),
    rows,
  };
}

/** Length of the prefix with the highest cumulative net, the shortest of equals; 0 if it is not worth sending. All rows if any loss is accepted. */
function bestPrefix(rows: readonly CostedRemit[], { rules, earnedWei }: DecisionInput): number {
  if (rules.minProfitWei === null) return rows.length;
  let count = 0;
  let best = 0n;
  for (const [index, { cumulativeWei }] of rows.entries()) {
    if (cumulativeWei <= best) continue;
    best = cumulativeWei;
    count = index + 1;
  }
  return earnedWei + best >= rules.minProfitWei ? count : 0;
}

/** How many transactions the balance pays for: a node accepts one only if the balance covers its whole gas limit. */
function countAffordable(rows: readonly CostedRemit[], balanceWei: bigint, gasPrice: bigint): number {
  let spentWei = 0n;
  return countWhile(rows, ({ gasLimit, rollupFeesWei, costWei }) => {
    const isAffordable = spentWei + gasLimit * gasPrice + rollupFeesWei <= balanceWei;
    spentWei += costWei;
    return isAffordable;
  });
}

/** What the next transaction may lose. */
function lossLeft({ rules, lostWei }: DecisionInput, next: CostedRemit): bigint {
  return (rules.maxLossWei ?? MOST_LOST_TRANSACTIONS * next.costWei) - lostWei;
}

function lossReason({ rules, lostWei }: DecisionInput, { costWei }: CostedRemit): string {
  const lost = `${ether(lostWei)} ETH were lost in 24 hours, or may be by transactions on their way`;
  const limit =
    rules.maxLossWei === null
      ? `the ${ether(MOST_LOST_TRANSACTIONS * costWei)} of ${MOST_LOST_TRANSACTIONS} transactions`
      : `the ${ether(rules.maxLossWei)} of max_loss_eth_per_day`;
  return `${lost}; with the next transaction it could be more than ${limit}`;
}

/** The fees of the market, at most `capPerGas`: up to this price the limits hold and the whole prefix earns the least profit. */
function feesToSign(input: DecisionInput, prefix: readonly CostedRemit[]) {
  const { market, rules, earnedWei, balanceWei } = input;
  const limits = [rules.maxGasPrice];
  const [next] = prefix;
  if (next !== undefined && next.gasLimit > 0n) {
    for (const wei of [balanceWei, lossLeft(input, next)]) limits.push((wei - next.rollupFeesWei) / next.gasLimit);
  }
  if (rules.minProfitWei !== null) {
    const feesWei = sum(prefix.map((row) => row.feesWei - row.rollupFeesWei));
    const gas = sum(prefix.map((row) => row.gas));
    if (gas > 0n) limits.push((earnedWei + feesWei - rules.minProfitWei) / gas);
  }
  const capPerGas = lowest(limits);
  const maxFeePerGas = lowest([market.maxFee, capPerGas]);
  return { fees: { maxFeePerGas, maxPriorityFeePerGas: lowest([market.tip, maxFeePerGas]) }, capPerGas };
}

function unprofitable(
  { rules, earnedWei, prices }: DecisionInput,
  rows: readonly CostedRemit[],
  wait: (why: WaitReason, reason: string) => Decision,
): Decision {
  const unpriced = [...new Set(rows.flatMap(({ fees }) => fees.map(({ token }) => token)))].filter(
    (token) => !prices.has(token),
  );
  if (unpriced.length > 0) return wait("no_price", `the profit is unknown without a price of ${unpriced.join(", ")}`);
  const best = highest(rows.map(({ cumulativeWei }) => cumulativeWei));
  const least = (rules.minProfitWei ?? 0n) - earnedWei;
  const wanted =
    least > 0n ? `less than the ${ether(least)} ETH that min_profit_eth asks for` : "which is not a profit";
  return wait(
    "unprofitable",
    `what is left (${rows.length} transactions) would earn ${ether(best)} ETH at best, ${wanted}`,
  );
}

/** `possible`: how many of the first transactions need no more than the gas cap; `best`: how many of these to send if the balance pays for them. */
type Counts = { count: number; best: number; possible: number };

function sendReason({ rules }: DecisionInput, rows: readonly CostedRemit[], { count, best, possible }: Counts): string {
  const sent = `${count} of ${rows.length} transactions`;
  const netWei = rows[count - 1]?.cumulativeWei ?? 0n;
  const what = rules.minProfitWei === null ? `${sent}, whatever they earn` : `${sent} earn ${ether(netWei)} ETH net`;
  if (count < best) return `${what}; the balance does not pay for more`;
  if (count < possible) return `${what}; the others would lower the sum`;
  return count < rows.length ? `${what}; the next one needs more gas than a transaction may have` : what;
}

function countWhile<T>(items: readonly T[], fits: (item: T) => boolean): number {
  const end = items.findIndex((item) => !fits(item));
  return end === -1 ? items.length : end;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}

/** Wei as ether. */
export function ether(wei: bigint): string {
  return formatUnits(wei, ETHER_DECIMALS);
}

function gwei(wei: bigint): string {
  return formatUnits(wei, 9);
}
