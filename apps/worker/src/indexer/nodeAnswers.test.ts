import { afterAll, expect, test } from "bun:test";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import { createRandom, type DrawnSpoiler, drawSpoiler } from "@dueday/chain/test/drawSpoiler";
import { type NodeClient, startSpoiledNode } from "@dueday/chain/test/startSpoiledNode";
import { ServiceError } from "@dueday/core/errors";
import type { Database } from "@dueday/db/connectDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { fetchBlockLogs, fetchRange } from "../logs/fetchLogs";
import { readHeader, readHeaders, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";
import { readEventFacts } from "./readEventFacts";

/** A node whose answers are spoiled at random, under everything that the indexer reads: it reads what is there, or fails. */
const CASES = testDepth === 1 ? 60 : 400 * testDepth;
const AT_ONCE = 16;
const PATIENCE_MS = 90_000;

const NOW_SECONDS = 1_790_000_000;

const devnet = await startDevnet({ scenario: demo, now: NOW_SECONDS });
const node = startSpoiledNode(devnet.url);
afterAll(async () => {
  await node.stop();
  await devnet.stop();
});

const logs = await devnet.client.getLogs({ address: devnet.contract, fromBlock: 0n, toBlock: "latest" });
const eventful = [...new Set(logs.map(({ blockNumber }) => Number(blockNumber)))];
const [first = 0, last = 0] = [eventful[0], eventful.at(-1)];
const middle = eventful[Math.floor(eventful.length / 2)] ?? first;

type Read = (context: IndexContext) => Promise<unknown>;

const reads: Record<string, Read> = {
  "all events": async (context) => decoded(await fetchRange(context, first, last)),
  "the events of some blocks": async (context) => decoded(await fetchRange(context, middle, middle + 5)),
  "the events of one block": async (context) =>
    decoded(await fetchBlockLogs(context, toIndexedBlock(await readHeader(context.chainData.rpc, last)))),
  headers: (context) => readHeaders(context.chainData.rpc, [first, middle, last]),
  "the newest header": (context) => readHeader(context.chainData.rpc, "latest"),
  receipts: async (context) => {
    const stateBlock = await readHeader(context.chainData.rpc, last);
    const indexed = await fetchRange(context, middle, last);
    const { receipts } = await readEventFacts(context, { logs: indexed, stateBlock, finality: null });
    return [...receipts].map(([hash, { logs: found, ...receipt }]) => [hash, receipt, decoded(found)]);
  },
  "terms and tokens": async ({ chainData }) => {
    const head = await readHeader(chainData.rpc, "latest");
    const terms = await chainData.readTerms(Object.values(devnet.subscriptions), head);
    return [[...terms], await chainData.readTokens(devnet.tokens, head)];
  },
};

/** Without the data as the node sent it: words after those of the event mean nothing. */
function decoded(logs: readonly { data: string }[]) {
  return logs.map(({ data: _, ...log }) => log);
}

function run(read: Read, { url }: NodeClient): Promise<unknown> {
  return read(
    indexContext({
      // These reads use no database.
      database: {} as Database,
      url,
      chainId: 31_337,
      contract: devnet.contract,
      requestTimeoutMs: 4_000,
      maxResponseBytes: 4 * 2 ** 20,
      clockBound: { clock: () => NOW_SECONDS * 1000, maxAheadSeconds: 86_400 },
    }),
  );
}

type Verdict = "equal" | "refused" | "wrong";

async function judge(read: Read, client: NodeClient, truth: unknown): Promise<Verdict> {
  try {
    return Bun.deepEquals(await run(read, client), truth) ? "equal" : "wrong";
  } catch (error) {
    return error instanceof RpcRefusal || (error instanceof ServiceError && error.status >= 502) ? "refused" : "wrong";
  }
}

test(
  `${CASES} spoiled answers of a node: the indexer reads what a sound node has, or fails with an error of the node`,
  async () => {
    const random = createRandom(testSeed);
    const truths = new Map<string, { truth: unknown; asked: NodeClient["asked"] }>();
    for (const [name, read] of Object.entries(reads)) {
      const client = node.open(null);
      truths.set(name, { truth: await run(read, client), asked: client.asked });
    }
    const names = Object.keys(reads);
    const waiting = Array.from({ length: CASES }, (_, index): { name: string; spoiler: DrawnSpoiler } => {
      const name = names[index % names.length] ?? "";
      return { name, spoiler: drawSpoiler(random, [...(truths.get(name)?.asked.values() ?? [])], devnet.contract) };
    });
    const counts: Record<string, number> = {};
    const faults: string[] = [];
    const work = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const { name, spoiler } = next;
        const read = reads[name];
        const client = node.open(spoiler);
        if (read === undefined) throw new Error(`there is no read of ${name}`);
        const late = Bun.sleep(PATIENCE_MS).then(() => "late");
        const verdict = await Promise.race([judge(read, client, truths.get(name)?.truth), late]);
        client.close();
        counts[verdict] = (counts[verdict] ?? 0) + 1;
        if (verdict === "equal" || verdict === "refused") continue;
        faults.push(`${name} is ${verdict}: ${spoiler.what.slice(0, 200)} of ${spoiler.call.slice(0, 120)}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    console.log(`node answers: FC_SEED=${testSeed}`, counts);
    expect(faults.slice(0, 40)).toEqual([]);
    expect(counts.refused).toBeGreaterThan(CASES / 10);
    expect(counts.equal).toBeGreaterThan(CASES / 10);
  },
  240_000 * testDepth,
);
