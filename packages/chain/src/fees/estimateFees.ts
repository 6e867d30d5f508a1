import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import type { FeePace } from "../client/createEndpoints";
import { readFeePace } from "./readFeePace";
import { type GasPrice, readGasPrice } from "./readGasPrice";

/** Wei per gas. */
export type FeeEstimate = GasPrice & {
  /** Covers what the base fee can rise to while the transaction waits. */
  maxFeePerGas: bigint;
};

export type EstimateFeesParameters = {
  block: ChainBlock;
  /** How long the transaction may wait until it is mined: for a signature, and in the pool. */
  waitSeconds: number;
};

/** Time that a person has to sign by hand. */
export const SIGNED_BY_HAND_SECONDS = 120;

/**
 * Enough for two minutes of full blocks on Base: 1.004 to the power of 600 is 11. Wallets require a balance for the whole cap; without
 * this limit, the cap on a chain with one block a second and Ethereum's parameters would be a million base fees.
 */
const MOST_RISE = 12n;
/** The rise that is assumed where the chain shows no interval. */
const USUAL_RISE = 2n;
/** Fractions of a base fee are counted in parts of this. */
const UNIT = 10n ** 9n;

/**
 * What a transaction pays for gas after `block`, with a cap that lasts: `maxFeePerGas` is the priority fee plus the base fee after full
 * blocks for `waitSeconds`, by the interval of the chain's blocks and by the parameters in its headers:
 * `baseFee * (1 + (elasticity - 1) / denominator) ^ (waitSeconds / interval + 1)`, at most twelve times the base fee. Throws ServiceError
 * UPSTREAM_*.
 */
export async function estimateFees(
  client: ChainClient,
  { block, waitSeconds }: EstimateFeesParameters,
): Promise<FeeEstimate> {
  const [price, pace] = await Promise.all([readGasPrice(client, { block }), readFeePace(client, { block })]);
  const { baseFeePerGas, maxPriorityFeePerGas } = price;
  const highest = (baseFeePerGas * riseWithin(pace, waitSeconds) + UNIT - 1n) / UNIT;
  return { ...price, maxFeePerGas: highest + maxPriorityFeePerGas };
}

/** The factor by which the base fee rises at most, in parts of `UNIT`. */
function riseWithin({ intervalMs, rise }: FeePace, waitSeconds: number): bigint {
  if (intervalMs === null) return USUAL_RISE * UNIT;
  let factor = UNIT;
  // One block more, because the base fee has already changed in the first block that can hold the transaction.
  for (let block = Math.ceil((waitSeconds * 1_000) / intervalMs) + 1; block > 0; block--) {
    factor += (factor * rise.numerator) / rise.denominator;
    if (factor >= MOST_RISE * UNIT) return MOST_RISE * UNIT;
  }
  return factor;
}
