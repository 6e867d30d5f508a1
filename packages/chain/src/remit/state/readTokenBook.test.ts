import { afterEach, expect, test } from "bun:test";
import { plainState } from "@dueday/chain/test/plainState";
import { type CountingProxy, startProxy } from "@dueday/chain/test/startProxy";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { Change } from "@dueday/test-support/bigChain/applyChange";
import { entryAt, termsOf } from "@dueday/test-support/bigChain/fillBook";
import type { BigChain } from "@dueday/test-support/bigChain/startBigChain";
import { startBookChain } from "@dueday/test-support/bigChain/startBookChain";
import { testSeed } from "@dueday/test-support/testSeed";
import fc from "fast-check";
import type { Address } from "viem";
import { readHead } from "../../block/readHead";
import { createChainClient } from "../../client/createChainClient";
import { bulkReads } from "./bulkReads";
import { createRemitStateCache } from "./createRemitStateCache";
import { HOLDINGS_HASH_PROGRAM, HOLDINGS_PROGRAM } from "./holdingsProgram";

const CONTRACT: Address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const CALLER: Address = "0x00000000000000000000000000000000000d0e00";
const CHAIN_ID = 31337;
/** More accounts than one request takes. */
const SIZE = 1_500;
const ROOM = 100;
const today = dayNumber(Date.UTC(2026, 5, 15) / 1_000);

let chain: BigChain;
let proxy: CountingProxy;
function start(shape: "day" | "spread") {
  chain = startBookChain({ chainId: CHAIN_ID, contract: CONTRACT, size: SIZE, room: ROOM, shape, today });
  proxy = startProxy(chain.url);
  return createChainClient({ chainId: CHAIN_ID, rpcUrls: [proxy.url], requestTimeoutMs: 60_000 });
}
afterEach(async () => {
  await proxy.stop();
  await chain.stop();
});

/** Requests that carried a program. */
function countOf(program: string): number {
  return proxy.calls.filter(({ params }) => JSON.stringify(params).includes(program)).length;
}

test("after one balance has changed, its thousand accounts are read again, and of all others a hash alone", async () => {
  const client = start("day");
  const stateCache = createRemitStateCache(CONTRACT, bulkReads);
  const read = async () => stateCache.read(client, { block: await readHead(client), caller: CALLER });
  await read();
  chain.mine([{ do: "fund", place: 1, balance: 7n, allowance: 8n }]);
  proxy.calls = [];
  const [token] = (await read()).tokens.values();
  const { subscriber } = entryAt(1, termsOf(1, "day", today));
  expect(token?.holdings.get(subscriber)).toEqual({ balance: 7n, allowance: 8n });
  expect([countOf(HOLDINGS_HASH_PROGRAM), countOf(HOLDINGS_PROGRAM)]).toEqual([2, 1]);
});

const place = fc.nat(SIZE - 1);
const change: fc.Arbitrary<Change | { do: "add" }> = fc.oneof(
  fc.record({ do: fc.constantFrom("cancel", "unsubscribe"), place }),
  fc.record({ do: fc.constant("fund"), place, balance: fc.constantFrom(0n, 7n), allowance: fc.constant(8n) }),
  fc.record({ do: fc.constant("add") }),
);
const rounds = fc.array(
  fc.record({ changes: fc.array(change, { maxLength: 4 }), days: fc.constantFrom([0], [35], [0, 35], [35, 0]) }),
  {
    minLength: 1,
    maxLength: 6,
  },
);

test.each(["day", "spread"] as const)(
  "after any changes a cache that compares hashes holds what a new one reads, for any days ahead: %s",
  async (shape) => {
    await fc.assert(
      fc.asyncProperty(rounds, async (all) => {
        const client = start(shape);
        const stateCache = createRemitStateCache(CONTRACT, bulkReads);
        let size = SIZE;
        const toChange = (each: Change | { do: "add" }): Change => {
          if (each.do !== "add" || "entry" in each) return each;
          const added = size++;
          return { do: "add", entry: entryAt(added, termsOf(added, shape, today)) };
        };
        for (const { changes, days } of [{ changes: [], days: [0, 35] }, ...all]) {
          chain.mine(changes.map(toChange));
          const block = await readHead(client);
          for (const daysAhead of days) {
            const known = await stateCache.read(client, { block, caller: CALLER, daysAhead });
            const fresh = await createRemitStateCache(CONTRACT, bulkReads).read(client, {
              block,
              caller: CALLER,
              daysAhead,
            });
            // A state of more days serves as well.
            if (known.dueLists.size === fresh.dueLists.size) expect(plainState(known)).toEqual(plainState(fresh));
          }
        }
        await proxy.stop();
        await chain.stop();
      }),
      { numRuns: 8, seed: testSeed },
    );
  },
  120_000,
);
