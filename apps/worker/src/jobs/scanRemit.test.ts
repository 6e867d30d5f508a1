import { afterAll, expect, test } from "bun:test";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { bulkReads } from "@dueday/chain/remit/state/bulkReads";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import { ServiceError } from "@dueday/core/errors";
import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { readSnapshots } from "@dueday/db/snapshots/readSnapshots";
import { createBook } from "@dueday/test-support/bigChain/createBook";
import { fillBook } from "@dueday/test-support/bigChain/fillBook";
import { startBigChain } from "@dueday/test-support/bigChain/startBigChain";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { Value } from "@sinclair/typebox/value";
import type { ChainContext } from "../context";
import { createScanProgress } from "../createScanProgress";
import { scanRemit } from "./scanRemit";

const { database } = await createTestDatabase();
const CONTRACT = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
/** More payments than one request simulates. */
const SIZE = 5_000;
const today = dayNumber(Math.floor(Date.now() / 1000));

const book = createBook(SIZE);
fillBook(book, { size: SIZE, shape: "day", today });
const chain = startBigChain({
  book,
  settings: {
    chainId: 31337,
    contract: CONTRACT,
    admin: "0x0000000000000000000000000000000000000010",
    callerFee: 10_025n,
    systemFee: 10_000n,
    maxRemits: 100,
    cancelLimit: 5n,
    nextUncheckedDay: today,
    token: {
      address: "0x0000000000000000000000000000000000001000",
      name: "Harbor Dollar",
      symbol: "HUSD",
      decimals: 6,
      minimum: 1n,
      balances: new Map([[CONTRACT.toLowerCase(), 10n ** 30n]]),
    },
    longestList: 2_000,
  },
  head: { number: 1, timestamp: today * DAY_SECONDS + 1 },
});
afterAll(() => chain.stop());

const config = parseConfig({
  LOG_LEVEL: "silent",
  CHAINS: "31337",
  CHAIN_31337_RPC_URLS: chain.url,
  CHAIN_31337_CONTRACT: CONTRACT,
});

async function readiness(): Promise<RemitReadiness[]> {
  const rows = await readSnapshots(database, { chainId: 31337, contract: CONTRACT, kind: "readiness" });
  return rows.map(({ payload }) => Value.Parse(RemitReadiness, JSON.parse(payload)));
}

test("the beginning of a large backlog is published before its book is read, and a scan that is repeated has the whole plan", async () => {
  const [settings] = config.chains;
  if (settings === undefined) throw new Error("the settings hold a chain");
  const stateCache = createRemitStateCache(settings.contract, bulkReads);
  let isFirst = true;
  const context: ChainContext = {
    head: () => null,
    covered: () => null,
    scans: { plan: null, due: null },
    progress: createScanProgress(Date.now, () => {}),
    chain: settings,
    client: createChainClient({ chainId: 31337, rpcUrls: settings.rpcUrls, requestTimeoutMs: 30_000 }),
    database,
    logger: createLogger(config),
    clock: Date.now,
    stateCache: {
      ...stateCache,
      async read(client, parameters) {
        if (!isFirst) return stateCache.read(client, parameters);
        throw new ServiceError("UPSTREAM_TIMEOUT", "the book takes too long");
      },
    },
    onPlanAlarm({ kind }) {
      throw new Error(`the plan raises an alarm: ${kind}`);
    },
    planCaller: config.planCaller,
    eventsRetentionDays: 30,
  };
  await expect(scanRemit(context, { atLeastBlock: 1n })).rejects.toMatchObject({ code: "UPSTREAM_TIMEOUT" });
  const [beginning] = await readiness();
  expect(beginning).toMatchObject({ ready: true, reason: "due", totalSubscriptions: SIZE });
  expect(beginning?.plan).toMatchObject({ source: "simulated", complete: false, end: "limit" });
  expect(beginning?.warnings.map(({ code }) => code)).toContain("PLAN_LIMIT");

  isFirst = false;
  await scanRemit(context, { atLeastBlock: 1n });
  const [whole, ...others] = await readiness();
  expect(others).toEqual([]);
  expect(whole).toMatchObject({ totalSubscriptions: SIZE, totalPayments: SIZE, plan: { complete: true } });
  const shown = beginning?.plan.transactions ?? [];
  expect(shown.length).toBeGreaterThan(0);
  expect(whole?.plan.transactions.slice(0, shown.length)).toEqual(shown);
}, 120_000);
