import { afterAll, expect, test } from "bun:test";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startProcess } from "./startProcess";

/** What asks the node by itself. */
const FAILING = [/following the chain's head failed/, /"job":"scan_remit".*job failed/, /"job":"scan_due".*job failed/];
/** Levels that an operator looks at. */
const LOUD = ["warn", "error", "fatal"];

const { url: databaseUrl } = await createTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

test("while the node is away the worker logs one line when it begins and one when it ends, whatever fails meanwhile", async () => {
  const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000), blockTimeMs: 200 });
  cleanUps.push(() => devnet.stop());
  const node = await startTcpProxy();
  cleanUps.push(node.stop);
  const port = Number(new URL(devnet.url).port);
  node.pointAt(port);
  const env = {
    PORT: "0",
    DATABASE_URL: databaseUrl,
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: `http://127.0.0.1:${node.port}`,
    CHAIN_31337_CONTRACT: devnet.contract,
    SCAN_INTERVAL_MS: "1000",
    // What is not reported again is there at level debug.
    LOG_LEVEL: "debug",
  };
  const worker = await startProcess("apps/worker/src/main.ts", { env });
  cleanUps.push(worker.dispose);
  await worker.printed(/"job":"scan_remit"/);
  const before = await worker.output();
  node.pointAt(1);
  node.cut();
  const hasFailed = async (what: RegExp) => what.test((await worker.output()).slice(before.length));
  for (const what of FAILING) await waitUntil(`${what} while the node is away`, () => hasFailed(what));
  node.pointAt(port);
  await worker.printed(/the chain's node can be used again/);
  const lines = (await worker.output()).slice(before.length).trim().split("\n");
  const found = lines.filter((line) => {
    const entry = Object(JSON.parse(line));
    return LOUD.includes(entry.level) || entry.awaySeconds !== undefined;
  });
  expect(found).toEqual([
    expect.stringContaining("no node of the chain can be used"),
    expect.stringContaining("the chain's node can be used again"),
  ]);
}, 90_000);
