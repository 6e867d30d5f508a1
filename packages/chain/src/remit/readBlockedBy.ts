import type { Revert } from "@dueday/core/errors";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { readDueFacts } from "../reads/readDueFacts";
import type { DueLists } from "../reads/readDueLists";
import { readSetSizes } from "../reads/readSetSizes";
import { failuresBefore } from "./findMissed";
import type { SimulatedPlan } from "./planRemit";

/** Ids of the day that are looked at; a day with more is named by its revert alone. */
const SUSPECTS_LIMIT = 500;
const ARITHMETIC_PANIC = "Panic(17)";

/**
 * What stops a plan that ends blocked, as far as simple reads tell: the id whose unsubscribed list outgrew its subscriber set
 * (protocol part 7), or, where the first open day charges one id or one token only, that one. The revert is always there.
 */
export async function readBlockedBy(
  client: ChainClient,
  parameters: {
    contract: Address;
    block: ChainBlock;
    plan: SimulatedPlan;
    revert: Revert;
    listsOf: DueLists;
    openDays: readonly number[];
  },
): Promise<NonNullable<RemitReadiness["blockedBy"]>> {
  const { contract, block, plan, revert, listsOf, openDays } = parameters;
  const closed = new Set(plan.transactions.flatMap((transaction) => transaction.closesDays));
  for (const day of openDays) {
    const ids = closed.has(day) ? [] : listsOf(day).flatMap((list) => list.ids);
    if (ids.length === 0) continue;
    if (ids.length > SUSPECTS_LIMIT) return { revert };
    const facts = await readDueFacts(client, { contract, ids, block });
    const suspects = [...facts.records.values()].filter(
      (record) => !record.cancelled && !facts.pausedTokens.has(record.token),
    );
    if (suspects.length === 0) continue;
    if (revert.code === ARITHMETIC_PANIC) {
      for (const { id, setSize, listSize } of await readSetSizes(client, {
        contract,
        subscriptions: suspects,
        block,
      })) {
        const token = facts.records.get(id)?.token;
        if (setSize === null || token === undefined) continue;
        if (listSize > setSize - failuresBefore(plan, id, day + 1).length) return { id, token, revert };
      }
    }
    const [only, ...others] = suspects;
    const [token, ...otherTokens] = new Set(suspects.map((suspect) => suspect.token));
    return {
      ...(only !== undefined && others.length === 0 ? { id: only.id } : {}),
      ...(token !== undefined && otherTokens.length === 0 ? { token } : {}),
      revert,
    };
  }
  return { revert };
}
