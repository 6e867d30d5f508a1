import { pinBlock } from "@dueday/chain/block/pinBlock";
import { readRemitForecast } from "@dueday/chain/remit/readRemitForecast";
import { willFailEvents } from "@dueday/core/domainEvents/planEvents";
import { readForecastProgress, recordFailing } from "@dueday/db/outbox/recordFailing";
import type { ChainContext } from "../context";
import { eventBlock } from "./eventBlock";

/** A payment that fails within so many days is announced. */
const DAYS_AHEAD = 7;
const FORECAST_EVERY_MS = 3_600_000;

/**
 * Writes the events of payments that will fail, from the model's forecast: once an hour, and once after each remit. A run in between
 * costs one query and no request to the node.
 */
export async function scanForecast(context: ChainContext): Promise<void> {
  const { chain, client, database, clock, stateCache, onPlanAlarm: onAlarm, planCaller: from } = context;
  const now = new Date(clock());
  const { forecastAt, forecastBlock, remitBlock } = await readForecastProgress(database, chain);
  const isRecent = forecastAt !== null && Math.abs(now.getTime() - forecastAt.getTime()) < FORECAST_EVERY_MS;
  if (isRecent && (remitBlock === null || remitBlock <= (forecastBlock ?? -1))) return;
  const block = await pinBlock(client);
  const { contract, chainId } = chain;
  const read = await readRemitForecast(client, { contract, from, block, stateCache, daysAhead: DAYS_AHEAD, onAlarm });
  const events = willFailEvents(chainId, eventBlock(context, block), read);
  await recordFailing(database, chain, { events, block: { number: Number(block.number), hash: block.hash }, now });
}
