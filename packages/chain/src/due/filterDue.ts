import type { ForecastPayment } from "@dueday/core/remit/forecastFromPlan";
import type { PaymentFilter } from "@dueday/core/remit/paymentFilter";
import { ACTIVE_STATUS } from "@dueday/core/subscriptionStatus";
import type { Address, Hex } from "viem";
import { expectAccountRows } from "../accounts/accountRow";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { accountRowsRead } from "../reads/readAccountRows";
import { readMany } from "../reads/readMany";
import type { DueLists } from "../remit/state/readDueLists";
import type { DueDayFacts } from "./dueDayPlan";
import type { Lookup } from "./readDueFacts";

/**
 * The due lists and the facts of the payments that a filter asks for. `facts.settled` must already hold only these payments: events of a
 * closed day are filtered where they are read. With accounts in the filter, only these count as subscribers of an id.
 *
 * @throws ServiceError UPSTREAM_* where the subscriptions of an account can't be read
 */
export async function filterDue(
  client: ChainClient,
  { contract, block, filter }: { contract: Address; block: ChainBlock; filter: PaymentFilter },
  { facts, listsOf }: { facts: DueDayFacts; listsOf: DueLists },
): Promise<{ facts: DueDayFacts; listsOf: DueLists }> {
  const { accounts, providers, ids } = filter;
  const isNamed = (id: Hex) => {
    const provider = facts.records.get(id)?.provider;
    return (ids?.has(id) ?? true) && (providers === null || (provider !== undefined && providers.has(provider)));
  };
  const activeCounts: Lookup<number> =
    accounts === null ? facts.activeCounts : await countActive(client, { contract, block, accounts });
  const { outlook, settled } = facts;
  const isMeant = ({ id, subscriber }: ForecastPayment) => isNamed(id) && (accounts?.has(subscriber) ?? true);
  const planned = outlook?.payments ?? null;
  const payments = planned && new Map([...planned].map(([day, ofDay]) => [day, ofDay.filter(isMeant)]));
  // An account that joined after a day was closed was not due on that day.
  const hasPayers = (id: Hex, day: number) => {
    if (accounts === null) return true;
    const { charges = [], uncharged = [] } = settled?.get(day) ?? {};
    const isRecorded = [...charges, ...uncharged].some((each) => each.id === id);
    return isRecorded || ((settled === null || day >= facts.nextUncheckedDay) && (activeCounts.get(id) ?? 0) > 0);
  };
  return {
    facts: { ...facts, activeCounts, outlook: outlook && { ...outlook, payments } },
    listsOf: (day) =>
      listsOf(day).map((list) => ({ ...list, ids: list.ids.filter((id) => isNamed(id) && hasPayers(id, day)) })),
  };
}

/** How many of `accounts` subscribe to each id. */
async function countActive(
  client: ChainClient,
  { contract, block, accounts }: { contract: Address; block: ChainBlock; accounts: ReadonlySet<Address> },
): Promise<Map<Hex, number>> {
  const reads = [...accounts].map((account) => accountRowsRead(contract, { account, bySubscriber: true }));
  const counts = new Map<Hex, number>();
  for (const result of await readMany(client, reads, block)) {
    for (const { record, status } of expectAccountRows(result))
      if (status === ACTIVE_STATUS) counts.set(record.id, (counts.get(record.id) ?? 0) + 1);
  }
  return counts;
}
