import { type RollupFees, rollupCost } from "@dueday/chain/fees/estimateRollupFees";
import { type Prices, transactionProfit } from "@dueday/core/remit/transactionProfit";
import type { Address } from "viem";

/** One remit() of a plan, as far as the decision needs it. */
export type PlannedRemit = {
  /** Gas that it uses; null where the plan does not know it. */
  gas: bigint | null;
  /** Gas limit to sign; default: a fifth above `gas`. */
  gasLimit?: bigint;
  fees: readonly { token: Address; units: bigint }[];
};

/** What gas costs now, wei per gas, and what a rollup charges beside it. */
export type GasMarket = {
  baseFee: bigint;
  tip: bigint;
  /** Highest price that a transaction sent now may have to pay until it is replaced. */
  maxFee: bigint;
  rollupFees: RollupFees | null;
};

/** A planned remit() with what it earns and costs at the market's price, wei. */
export type CostedRemit = {
  fees: PlannedRemit["fees"];
  gas: bigint;
  gasLimit: bigint;
  rollupFeesWei: bigint;
  feesWei: bigint;
  costWei: bigint;
  netWei: bigint;
  /** Sum of the nets up to this one. */
  cumulativeWei: bigint;
};

/** Gas of a transaction whose gas is not known, where the chain has no cap: the limit of EIP-7825. */
const UNKNOWN_GAS = 2n ** 24n;

export type CostRemitsParameters = {
  remits: readonly PlannedRemit[];
  prices: Prices;
  market: GasMarket;
  rules: { gasCap: bigint | null };
};

export function costRemits({ remits, prices, market, rules }: CostRemitsParameters): CostedRemit[] {
  let cumulativeWei = 0n;
  return remits.map(({ fees, gas: known, gasLimit }) => {
    const gas = known ?? rules.gasCap ?? UNKNOWN_GAS;
    const rollupFeesWei = rollupCost(market.rollupFees, gas);
    const { feesWei, costWei, netWei } = transactionProfit({
      callerFees: fees,
      gasUsed: gas,
      gasPrice: market.baseFee + market.tip,
      rollupFeesWei,
      prices,
    });
    cumulativeWei += netWei;
    const limit = gasLimit ?? limitOf(gas, rules.gasCap);
    return { fees, gas, gasLimit: limit, rollupFeesWei, feesWei, costWei, netWei, cumulativeWei };
  });
}

/** The gas limit of a transaction: a fifth more than it uses now, because the page may get longer until it is mined, but within the cap. */
export function limitOf(gas: bigint, gasCap: bigint | null): bigint {
  const withMargin = (gas * 12n + 9n) / 10n;
  return gasCap !== null && withMargin > gasCap ? (gas > gasCap ? gas : gasCap) : withMargin;
}
