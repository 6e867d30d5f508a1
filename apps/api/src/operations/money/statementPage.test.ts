import { expect, test } from "bun:test";
import type { AccountStatement } from "./accountStatement";
import { statementPage } from "./statementPage";

const address: `0x${string}` = "0x1111111111111111111111111111111111111111";
const hash: `0x${string}` = `0x${"ab".repeat(32)}`;
const hostile = `<img src=x onerror="alert(1)">&'`;

test("names and symbols that anybody may have written are text in the page, never markup; the next page has the same filters", () => {
  const amounts = {
    gross: "1",
    grossRaw: "1",
    toFeeBalance: "0",
    toFeeBalanceRaw: "0",
    returned: "0",
    returnedRaw: "0",
  };
  const token = { token: address, tokenSymbol: hostile, tokenDecimals: 0 };
  const statement: AccountStatement = {
    chainId: 1,
    account: address,
    fromDate: "2026-09-01",
    toDate: "2026-09-21",
    hasMore: true,
    nextAfter: "abc",
    totals: [
      {
        ...token,
        received: "1",
        receivedRaw: "1",
        returnedToProvider: "0",
        returnedToProviderRaw: "0",
        paid: "0",
        paidRaw: "0",
        returnedToSubscriber: "0",
        returnedToSubscriberRaw: "0",
        net: "1",
        netRaw: "1",
      },
    ],
    entries: [
      {
        side: "received",
        kind: "recurring",
        date: "2026-09-02",
        id: hash,
        planName: hostile,
        provider: address,
        subscriber: address,
        ...token,
        ...amounts,
        failed: "0",
        failedRaw: "0",
        net: "1",
        netRaw: "1",
        timestamp: 1,
        formattedTimestamp: null,
        transactionHash: hash,
        finality: "finalized",
        blockNumber: "1",
        logIndex: 0,
      },
    ],
    asOf: {
      blockNumber: "1",
      blockHash: hash,
      blockTimestamp: 1,
      computedAt: "2026-09-21T00:00:00.000Z",
      source: "snapshot",
      stale: false,
    },
  };
  const page = statementPage(statement, new URLSearchParams(`token=${address}&first=1&after=aaa`));
  expect(page).not.toContain("<img");
  expect(page).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;");
  const query = `token=${address}&first=1&after=abc&chainId=1&fromDate=2026-09-01&toDate=2026-09-21`;
  expect(page).toContain(`"?${query.replaceAll("&", "&amp;")}"`);
});
