import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { nextChargeDay } from "@dueday/core/calendar/nextChargeDay";
import { nextDueDay } from "@dueday/core/calendar/nextDueDay";
import { pageFacts } from "@dueday/core/paging";
import { createChargedDays } from "@dueday/core/remit/createChargedDays";
import type { Hindrance } from "@dueday/core/schemas/coverage";
import { feeBalanceFields } from "@dueday/core/schemas/feeBalance";
import { ACTIVE_STATUS } from "@dueday/core/subscriptionStatus";
import { NOTHING_COMING } from "@dueday/core/walk/coverage";
import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectToken } from "../reads/expectToken";
import { expectValue, protocolRead } from "../reads/protocolRead";
import { type AccountRow, accountRowsRead } from "../reads/readAccountRows";
import { readMany } from "../reads/readMany";
import { readPausedTokens } from "../reads/readPausedTokens";
import { readTable } from "../reads/readTable";
import { readTokenInfos } from "../reads/readTokenInfos";
import type { CoverageReader } from "../walk/createCoverageReader";
import { plansOfRows, withDecimals } from "../walk/estimateCoverage";
import { presentCoverage } from "../walk/presentCoverage";
import { readAccountWalk } from "../walk/readAccountWalk";
import { canPayNow, readRefusedPayments } from "../walk/readRefusedPayments";
import { expectAccountRows, presentAccountRow } from "./accountRow";

export type AccountPage = {
  contract: Address;
  account: Address;
  /** Entries of a page, and entries before it, in each of the two lists. */
  first: number;
  skip: number;
  block: ChainBlock;
};

export type ReadAccountParameters = AccountPage & {
  coverage: CoverageReader;
};

/**
 * The subscriptions that an account subscribed to, with its fee balances and the coverage of its coming charges, and those that it
 * created; all with their next due date. The page facts are those of the longer list. Throws ServiceError UPSTREAM_* where the node fails, or the
 * account has too many rows to be read.
 */
export async function readAccount(
  client: ChainClient,
  { contract, account, first, skip, block, coverage }: ReadAccountParameters,
) {
  // Most accounts use tokens that the client knows, so the same round trip reads whether these are paused.
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
  const active = plansOfRows(account, subscribedToPage).map(({ record }) => record);
  const tokensRead = readTokenInfos(client, { contract, tokens: shownTokens, block });
  const [tokens, pausedNew, walk, refused, balances] = await Promise.all([
    tokensRead,
    readPausedTokens(client, { contract, tokens: newTokens, block }),
    active.length > 0 || shown.some(isDue)
      ? readAccountWalk(client, { contract, account, coverage, rows: allSubscribedTo, block })
      : null,
    tokensRead.then((infos) =>
      readRefusedPayments(client, { contract, account, plans: withDecimals(active, infos), block }),
    ),
    readTable(
      client,
      subscribedToPage,
      ({ record: { id } }) => [protocolRead(contract, "feeBalance", [id, account])],
      block,
    ),
  ]);
  const isCharged = walk === null ? () => true : createChargedDays(walk);
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
  const isRefused = (id: Hex) => refused.has(id) && walk !== null && canPayNow(walk.state, id, account);
  const hindranceOf = ({ record: { id, token, cancelled }, status }: AccountRow): Hindrance => {
    if (cancelled || status !== ACTIVE_STATUS) return null;
    return paused.has(token) ? "token_paused" : isRefused(id) ? "token_refuses" : null;
  };
  return {
    account,
    subscribedTo: balances.map(({ key: row, results: [feeBalance] }) => ({
      ...present(row, account),
      ...feeBalanceFields(expectValue(feeBalance, "feeBalance"), expectToken(tokens, row.record.token).decimals),
      ...presentCoverage(walk?.coverageOf(row.record.id, account) ?? NOTHING_COMING),
      hindrance: hindranceOf(row),
    })),
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
