import { pinBlock } from "@dueday/chain/block/pinBlock";
import { readRemitForecast } from "@dueday/chain/remit/readRemitForecast";
import { willFailEvents } from "@dueday/core/domainEvents/planEvents";
import { readForecastProgress, recordFailing } from "@dueday/db/outbox/recordFailing";
import type { ChainContext } from "../context";

/** A payment that fails within this number of days is announced. */
const DAYS_AHEAD = 7;

/**
 * Writes the events of payments that will fail, from the model's forecast: where the last one is `everyMs` old, or older than the
 * last remit() in the index. A run in between costs one query and no request to the node, and so does one at the same block, and
 * one before the index has stored anything.
 */
export async function scanForecast(context: ChainContext, everyMs: number): Promise<void> {
  const { chain, client, database, clock, head, stateCache, onPlanAlarm: onAlarm, planCaller: from } = context;
  const now = new Date(clock());
  const { isIndexed, forecastAt, forecastBlock, remitBlock } = await readForecastProgress(database, chain);
  const isRecent = forecastAt !== null && Math.abs(now.getTime() - forecastAt.getTime()) < everyMs;
  const isBeforeRemit = remitBlock !== null && remitBlock > (forecastBlock ?? -1);
  const isOfHead = forecastBlock !== null && forecastBlock === Number(head()?.number);
  if (!isIndexed || isOfHead || (isRecent && !isBeforeRemit)) return;
  const block = await pinBlock(client);
  const { contract, chainId } = chain;
  const read = await readRemitForecast(client, { contract, from, block, stateCache, daysAhead: DAYS_AHEAD, onAlarm });
  const events = willFailEvents(chainId, block, read);
  await recordFailing(database, chain, { events, block: { number: Number(block.number), hash: block.hash }, now });
}
