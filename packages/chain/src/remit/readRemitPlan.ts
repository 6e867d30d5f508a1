import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { stopOf } from "@dueday/core/remit/plan";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { estimateRollupFees } from "../fees/estimateRollupFees";
import { readGasPrice } from "../fees/readGasPrice";
import { transactionGasLimit } from "../fees/transactionGasLimit";
import { readTokenInfos } from "../reads/readTokenInfos";
import { type PlanAlarm, planBacklog } from "./planBacklog";
import type { PlanFacts } from "./presentPlan";
import type { RemitStateCache } from "./state/createRemitStateCache";

export type ReadRemitPlanParameters = {
  contract: Address;
  from: Address;
  block: ChainBlock;
  stateCache: RemitStateCache;
  onAlarm(alarm: PlanAlarm): void;
};

/** The whole plan for `from`, payments included: the model is always run. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readRemitPlan(client: ChainClient, parameters: ReadRemitPlanParameters): Promise<PlanFacts> {
  const { contract, block } = parameters;
  const gasCap = transactionGasLimit(client, block);
  const [plan, price, rollupFees] = await Promise.all([
    planBacklog(client, { ...parameters, needsModel: () => true }),
    readGasPrice(client, { block }),
    estimateRollupFees(client, { to: contract, data: encodeRemit(), gas: gasCap, block }),
  ]);
  const received = plan.transactions.flatMap(({ callerFees }) => callerFees.map(({ token }) => token));
  const stop = stopOf(plan);
  if (stop !== undefined) received.push(stop.token);
  const due = plan.details === null ? [] : [...plan.details.state.tokens.keys()];
  const tokens = await readTokenInfos(client, { contract, tokens: [...due, ...received], block });
  return { plan, gasPrice: price.baseFeePerGas + price.maxPriorityFeePerGas, rollupFees, gasCap, tokens };
}
