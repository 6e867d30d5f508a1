import { pageFacts } from "@dueday/core/paging";
import type { ChainClient } from "../client/createChainClient";
import { expectToken } from "../reads/expectToken";
import { accountRowsRead } from "../reads/readAccountRows";
import { readMany } from "../reads/readMany";
import { readTokenInfos } from "../reads/readTokenInfos";
import { expectAccountRows, presentAccountRow } from "./accountRow";
import type { AccountPage } from "./readAccount";

export type ReadAccountSubscriptionsParameters = AccountPage & {
  /** True: the subscriptions that the account subscribed to; false: those that it created. */
  bySubscriber: boolean;
};

/** A page of the subscriptions of an account. Throws ServiceError UPSTREAM_*, as `readAccount` does. */
export async function readAccountSubscriptions(
  client: ChainClient,
  { contract, account, bySubscriber, first, skip, block }: ReadAccountSubscriptionsParameters,
) {
  const [result] = await readMany(client, [accountRowsRead(contract, { account, bySubscriber })], block);
  const rows = expectAccountRows(result);
  const page = rows.slice(skip, skip + first);
  const tokens = await readTokenInfos(client, { contract, tokens: page.map(({ record }) => record.token), block });
  return {
    account,
    bySubscriber,
    subscriptions: page.map((row) => presentAccountRow(row, expectToken(tokens, row.record.token))),
    ...pageFacts({ count: rows.length, skip, shown: page.length }),
  };
}
