import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { presentReadiness, type ReadinessFacts } from "@dueday/chain/remit/presentReadiness";
import { readReadinessFacts, readSimulatedReadiness } from "@dueday/chain/remit/readRemitReadiness";
import { bulkReads } from "@dueday/chain/remit/state/bulkReads";
import { openBook } from "@dueday/chain/remit/state/openBook";
import { planStateEvent } from "@dueday/core/domainEvents/planEvents";
import { readSnapshots } from "@dueday/db/snapshots/readSnapshots";
import { renewSnapshots } from "@dueday/db/snapshots/renewSnapshots";
import type { ChainContext } from "../context";
import { blockToScan } from "./blockToScan";
import type { JobRequest } from "./job";
import { snapshotRow } from "./snapshotRow";

/**
 * Plans what remit() would do, for PLAN_CALLER, by simulation and model, and writes the `readiness` snapshot, with an event where the plan's
 * state has changed. A plan that has not changed is confirmed.
 */
export async function scanRemit(context: ChainContext, request: JobRequest): Promise<void> {
  const { chain, client, database, clock, stateCache, progress, onPlanAlarm, planCaller: from } = context;
  const block = await blockToScan(context, "readiness", request);
  if (block === null) return;
  if (context.scans.plan === null) await publishBeginning(context, block);
  const facts = await readReadinessFacts(client, {
    contract: chain.contract,
    from,
    block,
    stateCache,
    model: "always",
    onAlarm: onPlanAlarm,
  });
  progress.check();
  const payload = presentReadiness(facts);
  await renewSnapshots(database, [snapshotRow(context, block, { kind: "readiness", payload })], {
    event: planStateEvent(chain.chainId, block, payload),
    block: { number: Number(block.number), hash: block.hash },
    now: new Date(clock()),
  });
  const state = facts.plan.details?.state ?? stateCache.stateOf(block);
  // True also where a paused token prevents all charges.
  const isOpen = payload.totalSubscriptions > 0;
  context.scans.plan = {
    block,
    isOpen,
    facts: withoutPayments(facts),
    whole: facts.plan,
    book: state && openBook(block, state),
  };
}

/**
 * If no plan is stored, writes what a simulation shows of it, so that keepers can begin: reading very many subscriptions takes minutes. The whole
 * plan replaces it, and only that has an event.
 */
async function publishBeginning(context: ChainContext, block: ChainBlock): Promise<void> {
  const { chain, client, database, planCaller: from } = context;
  const { chainId, contract } = chain;
  const stored = await readSnapshots(database, { chainId, contract, kind: "readiness", keys: [""] });
  if (stored.some(({ orphaned }) => !orphaned)) return;
  const facts = await readSimulatedReadiness(client, { contract, from, block, bulk: bulkReads });
  if (facts === null) return;
  await renewSnapshots(database, [
    snapshotRow(context, block, { kind: "readiness", payload: presentReadiness(facts) }),
  ]);
}

/** The facts that a later proof presents, without the payments: a million of them would stay in memory. */
function withoutPayments({ plan, ...facts }: ReadinessFacts): ReadinessFacts {
  if (plan.details === null) return { plan, ...facts };
  const { takeWorking: _, ...details } = plan.details;
  return { ...facts, plan: { ...plan, details: { ...details, payments: [] } } };
}
