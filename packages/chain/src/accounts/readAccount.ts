import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { nextChargeDay } from "@dueday/core/calendar/nextChargeDay";
import { nextDueDay } from "@dueday/core/calendar/nextDueDay";
import { ServiceError } from "@dueday/core/errors";
import { pageFacts } from "@dueday/core/paging";
import { type ChargedDays, createChargedDays } from "@dueday/core/remit/createChargedDays";
import { feeBalanceFields } from "@dueday/core/schemas/feeBalance";
import { ACTIVE_STATUS } from "@dueday/core/subscriptionStatus";
import { type Address, zeroAddress } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectToken } from "../reads/expectToken";
import { expectValue, protocolRead } from "../reads/protocolRead";
import { type AccountRow, accountRowsRead } from "../reads/readAccountRows";
import { readMany } from "../reads/readMany";
import { readPausedTokens } from "../reads/readPausedTokens";
import { coverageOf, coverageReads } from "../reads/readPaymentCoverage";
import { readTable } from "../reads/readTable";
import { readTokenInfos } from "../reads/readTokenInfos";
import type { RemitStateCache } from "../remit/state/createRemitStateCache";
import { expectAccountRows, presentAccountRow } from "./accountRow";

export type AccountPage = {
  contract: Address;
  account: Address;
  /** Entries of a page, and entries before it, in each of both lists. */
  first: number;
  skip: number;
  block: ChainBlock;
};

export type ReadAccountParameters = AccountPage & {
  /** Of the contract: it decides what the open days still hold. */
  stateCache: RemitStateCache;
};

/**
 * What an account subscribed to, with its fee balances, and what it created; both with the next due date. The page facts are those
 * of the longer list. Throws ServiceError UPSTREAM_* where the node fails, or the account has too many rows to be read.
 */
export async function readAccount(
  client: ChainClient,
  { contract, account, first, skip, block, stateCache }: ReadAccountParameters,
) {
  // Most accounts use tokens that the client knows: whether they are paused is read in the same round trip.
  const knownTokens = [...client.facts.tokens.values()].slice(0, KNOWN_TOKENS).map(({ address }) => address);
  const [[subscribedTo, created, nextUnchecked], pausedKnown] = await Promise.all([
    readMany(
      client,
      [
        accountRowsRead(contract, { account, bySubscriber: true }),
        accountRowsRead(contract, { account, bySubscriber: false }),
        protocolRead(contract, "nextUncheckedDay", []),
      ],
      block,
    ),
    readPausedTokens(client, { contract, tokens: knownTokens, block }),
  ]);
  const allSubscribedTo = expectAccountRows(subscribedTo);
  const allCreated = expectAccountRows(created);
  const nextUncheckedDay = expectValue(nextUnchecked, "nextUncheckedDay");
  const today = dayNumber(block.timestamp);
  const subscribedToPage = allSubscribedTo.slice(skip, skip + first);
  const createdPage = allCreated.slice(skip, skip + first);
  const shown = [...subscribedToPage, ...createdPage];
  const isDue = ({ record: { frequency, dueDay } }: AccountRow) =>
    nextDueDay(frequency, dueDay, nextUncheckedDay) <= today;
  const shownTokens = [...new Set(shown.map(({ record }) => record.token))];
  const newTokens = shownTokens.filter((token) => !knownTokens.includes(token));
  const [tokens, pausedNew, isCharged, balances] = await Promise.all([
    readTokenInfos(client, { contract, tokens: shownTokens, block }),
    readPausedTokens(client, { contract, tokens: newTokens, block }),
    shown.some(isDue) ? readChargedDays(client, { stateCache, block }) : everyDay,
    readTable(
      client,
      subscribedToPage,
      ({ record: { id, token } }) => [
        protocolRead(contract, "feeBalance", [id, account]),
        ...coverageReads(contract, { token, subscriber: account }),
      ],
      block,
    ),
  ]);
  const paused = new Set([...pausedKnown, ...pausedNew]);
  const nextDueDateOf = ({ record, status, totalSubscribers }: AccountRow, subscriber: Address | null) => {
    const { id, token, cancelled, frequency, dueDay } = record;
    if (cancelled || status !== ACTIVE_STATUS || paused.has(token)) return null;
    // Before its first subscriber a subscription is in no due list, so no day of the past can be charged for it.
    if (totalSubscribers === 0n) {
      return dayToDate(nextChargeDay({ frequency, dueDay, nextUncheckedDay: Math.max(nextUncheckedDay, today) }));
    }
    const ofRow = (day: number) => isCharged(id, subscriber, day);
    return dayToDate(nextChargeDay({ frequency, dueDay, nextUncheckedDay, isCharged: ofRow }));
  };
  const present = (row: AccountRow, subscriber: Address | null) => ({
    ...presentAccountRow(row, expectToken(tokens, row.record.token)),
    nextDueDate: nextDueDateOf(row, subscriber),
  });
  return {
    account,
    subscribedTo: balances.map(({ key: row, results: [feeBalance, ...coverage] }) => {
      const { decimals } = expectToken(tokens, row.record.token);
      return {
        ...present(row, account),
        ...feeBalanceFields(expectValue(feeBalance, "feeBalance"), decimals),
        ...coverageOf(coverage, toTokenUnits(row.record.amount, decimals)),
      };
    }),
    created: createdPage.map((row) => present(row, null)),
    subscribedToCount: allSubscribedTo.length,
    createdCount: allCreated.length,
    ...pageFacts({
      count: Math.max(allSubscribedTo.length, allCreated.length),
      skip,
      shown: Math.max(subscribedToPage.length, createdPage.length),
    }),
  };
}

/** Tokens whose pause is read before it is known which of them the account uses. */
const KNOWN_TOKENS = 16;

const everyDay: ChargedDays = () => true;

/** Where the state can't be read, every due day that is not closed counts as one that is charged. */
async function readChargedDays(
  client: ChainClient,
  { stateCache, block }: { stateCache: RemitStateCache; block: ChainBlock },
): Promise<ChargedDays> {
  try {
    return createChargedDays(await stateCache.read(client, { block, caller: zeroAddress }));
  } catch (error) {
    if (error instanceof ServiceError && !error.retryable) return everyDay;
    throw error;
  }
}
