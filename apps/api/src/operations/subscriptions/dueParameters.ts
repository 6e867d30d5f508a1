import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ReadDueDaysParameters } from "@dueday/chain/due/readDueDays";
import { logPlanAlarm } from "@dueday/chain/remit/logPlanAlarm";
import type { PaymentFilter } from "@dueday/core/remit/paymentFilter";
import type { SettledDay } from "@dueday/core/remit/settledDay";
import { DatabaseError } from "@dueday/db/databaseError";
import { readSettledDays, type SettledDaysQuery } from "@dueday/db/history/readSettledDays";
import type { Context } from "../../operation/context";

/** How long an answer waits for the event index to reach its block. */
const INDEX_PATIENCE_MS = 2_000;

/** The parameters for reading due days, without the days. Results of closed days are from the event index. A null `filter` selects all payments. */
export function dueParameters(
  context: Context,
  block: ChainBlock,
  filter: PaymentFilter | null,
): Omit<ReadDueDaysParameters, "days"> {
  const { chain, logger, service } = context;
  return {
    contract: chain.config.contract,
    block,
    from: service.config.planCaller,
    stateCache: chain.remitState,
    onAlarm: (alarm) => logPlanAlarm(logger, alarm),
    filter,
    readSettled: (days, nextUncheckedDay) => readSettled(context, { days, filter, nextUncheckedDay, block }),
  };
}

/** Null where the index does not answer: what is due is known without it. */
async function readSettled(
  { chain, database, logger, requestId }: Context,
  query: Omit<SettledDaysQuery, "patienceMs">,
): Promise<SettledDay[] | null> {
  if (chain.snapshots.refusal() !== null) return null;
  const { chainId, contract } = chain.config;
  try {
    return await readSettledDays(
      database,
      { chainId, contract, covered: chain.covered.latest },
      { ...query, patienceMs: INDEX_PATIENCE_MS },
    );
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    logger.warn({ requestId, chainId, err: error }, "what is settled could not be read");
    return null;
  }
}
