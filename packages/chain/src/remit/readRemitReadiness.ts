import { saturate } from "@dueday/core/amounts/saturate";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import type { MissedSubscription } from "@dueday/core/remit/plan";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { estimateFees } from "../fees/estimateFees";
import { estimateL1Fee } from "../fees/estimateL1Fee";
import { expectValue, protocolRead } from "../reads/protocolRead";
import { readDueFacts } from "../reads/readDueFacts";
import { type DueLists, readDueLists } from "../reads/readDueLists";
import { readMany } from "../reads/readMany";
import { readTokenInfos } from "../reads/readTokenInfos";
import { buildReadiness } from "./buildReadiness";
import { findMissed, findUnhandled } from "./findMissed";
import { planRemit, type SimulatedPlan } from "./planRemit";
import { readBlockedBy } from "./readBlockedBy";

export type ReadRemitReadinessParameters = {
  contract: Address;
  /** Who would call remit(); it changes the gas only. */
  from: Address;
  /** From `pinBlock`: a simulation on another block may see the next day already. */
  block: ChainBlock;
  /** Transactions of the last plan: a long backlog is then simulated in one request. */
  expectedTransactions?: number;
};

/**
 * What calling remit() from `from` would do on the state after `block`: the plan, what it earns and costs, what blocks it and
 * what it would miss. Two round trips, a third for tokens that the client meets first, and
 * more only where the plan is blocked, leaves ids out or outgrows its request. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function readRemitReadiness(
  client: ChainClient,
  parameters: ReadRemitReadinessParameters,
): Promise<RemitReadiness> {
  const { contract, from, block } = parameters;
  const [nextDay, limit] = await readMany(
    client,
    [protocolRead(contract, "nextUncheckedDay", []), protocolRead(contract, "maxRemits", [])],
    block,
  );
  const nextUncheckedDay = expectValue(nextDay, "nextUncheckedDay");
  const maxRemits = saturate(expectValue(limit, "maxRemits"));
  const currentDay = dayNumber(block.timestamp);
  const openDays = Array.from(
    { length: Math.max(0, currentDay - nextUncheckedDay + 1) },
    (_, offset) => nextUncheckedDay + offset,
  );
  const [plan, listsOf, fees, l1Fee] = await Promise.all([
    planRemit(client, { ...parameters, maxRemits }),
    readDueLists(client, { contract, days: openDays, block }),
    estimateFees(client, { block }),
    estimateL1Fee(client, { to: contract, data: encodeRemit(), gas: block.gasLimit, block }),
  ]);
  const tokens = plan.transactions.flatMap((transaction) => transaction.callerFees.map((fee) => fee.token));
  const [infos, missed, blockedBy] = await Promise.all([
    readTokenInfos(client, { contract, tokens, block }),
    readMissed(client, { ...parameters, plan, listsOf, nextUncheckedDay }),
    plan.revert && readBlockedBy(client, { contract, block, plan, revert: plan.revert, listsOf, openDays }),
  ]);
  return buildReadiness({
    from,
    currentDay,
    nextUncheckedDay,
    maxRemits,
    openDays,
    plan,
    listsOf,
    fees,
    l1Fee,
    tokens: infos,
    missed,
    blockedBy,
  });
}

async function readMissed(
  client: ChainClient,
  parameters: {
    contract: Address;
    block: ChainBlock;
    plan: SimulatedPlan;
    listsOf: DueLists;
    nextUncheckedDay: number;
  },
): Promise<MissedSubscription[]> {
  const { contract, block, plan, listsOf, nextUncheckedDay } = parameters;
  const unhandled = findUnhandled(plan, listsOf, nextUncheckedDay);
  if (unhandled.length === 0) return [];
  const ids = [...new Set(unhandled.map(({ id }) => id))];
  return findMissed(plan, unhandled, await readDueFacts(client, { contract, ids, block }));
}
