import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { nextDueDay } from "@dueday/core/calendar/nextDueDay";
import { pageFacts } from "@dueday/core/paging";
import { feeBalanceFields } from "@dueday/core/schemas/feeBalance";
import { ACTIVE_STATUS } from "@dueday/core/subscriptionStatus";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectToken } from "../reads/expectToken";
import { expectValue, protocolRead } from "../reads/protocolRead";
import { type AccountRow, accountRowsRead } from "../reads/readAccountRows";
import { readMany } from "../reads/readMany";
import { readTable } from "../reads/readTable";
import { readTokenInfos } from "../reads/readTokenInfos";
import { expectAccountRows, presentAccountRow } from "./accountRow";

export type ReadAccountParameters = {
  contract: Address;
  account: Address;
  /** Entries of a page, and entries before it, in each of both lists. */
  first: number;
  skip: number;
  block: ChainBlock;
};

/**
 * What an account subscribed to, with its fee balances, and what it created; both with the next due date. The page facts are those
 * of the longer list. Throws ServiceError UPSTREAM_* where the node fails, or the account has too many rows to be read.
 */
export async function readAccount(
  client: ChainClient,
  { contract, account, first, skip, block }: ReadAccountParameters,
) {
  const [subscribedTo, created, nextUnchecked] = await readMany(
    client,
    [
      accountRowsRead(contract, { account, bySubscriber: true }),
      accountRowsRead(contract, { account, bySubscriber: false }),
      protocolRead(contract, "nextUncheckedDay", []),
    ],
    block,
  );
  const allSubscribedTo = expectAccountRows(subscribedTo);
  const allCreated = expectAccountRows(created);
  const openDay = Math.max(dayNumber(block.timestamp), expectValue(nextUnchecked, "nextUncheckedDay"));
  const subscribedToPage = allSubscribedTo.slice(skip, skip + first);
  const createdPage = allCreated.slice(skip, skip + first);
  const shown = [...subscribedToPage, ...createdPage];
  const [tokens, balances] = await Promise.all([
    readTokenInfos(client, { contract, tokens: shown.map(({ record }) => record.token), block }),
    readTable(
      client,
      subscribedToPage,
      ({ record }) => [protocolRead(contract, "feeBalance", [record.id, account])],
      block,
    ),
  ]);
  const present = (row: AccountRow) => ({
    ...presentAccountRow(row, expectToken(tokens, row.record.token)),
    nextDueDate: nextDueDateOf(row, openDay),
  });
  return {
    account,
    subscribedTo: balances.map(({ key: row, results: [feeBalance] }) => ({
      ...present(row),
      ...feeBalanceFields(expectValue(feeBalance, "feeBalance"), expectToken(tokens, row.record.token).decimals),
    })),
    created: createdPage.map(present),
    subscribedToCount: allSubscribedTo.length,
    createdCount: allCreated.length,
    ...pageFacts({
      count: Math.max(allSubscribedTo.length, allCreated.length),
      skip,
      shown: Math.max(subscribedToPage.length, createdPage.length),
    }),
  };
}

/** @param openDay the first day number that can still be charged for, today at the earliest */
function nextDueDateOf({ record, status }: AccountRow, openDay: number): string | null {
  if (record.cancelled || status !== ACTIVE_STATUS) return null;
  return dayToDate(nextDueDay(record.frequency, record.dueDay, openDay));
}
