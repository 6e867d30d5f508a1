import { afterAll, beforeAll, expect, test } from "bun:test";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { arbitraryHistory, beginning, chargedHistory, playHistory } from "@dueday/chain/test/randomHistory";
import { type ReplayContext, type ReplayNode, setUp } from "@dueday/devnet/replay/setUp";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testDepth } from "@dueday/test-support/testDepth";
import { testSeed } from "@dueday/test-support/testSeed";
import fc from "fast-check";
import { createConsistency } from "./checkConsistency";
import { clearIndex } from "./clearIndex";

const HISTORIES = Number(process.env.CONSISTENCY_HISTORIES ?? 6 * testDepth);
const TIMEOUT_MS = 120_000 + HISTORIES * 20_000;

const { database } = await createTestDatabase();
let context: ReplayContext;
let node: ReplayNode;
beforeAll(async () => {
  ({ context, node } = await setUp(beginning));
  await context.client.setAutomine(false);
});
afterAll(() => node.stop());

test(
  "due lists, plan, forecast and accounts agree with each other and with the record after every step of a random history, and what is open is what remit() charges",
  async () => {
    const totals: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(arbitraryHistory, async (history) => {
        const { client, contract, names, scenario } = context;
        const snapshot = await client.snapshot();
        await clearIndex(database);
        const accounts = scenario.accounts.map((name) => names.addressOf(name));
        const consistency = createConsistency({
          context,
          database,
          accounts,
          stateCache: createRemitStateCache(contract),
        });
        try {
          await playHistory(context, history, consistency.charge, consistency.compare);
        } finally {
          await client.revert({ id: snapshot });
        }
        for (const [name, count] of Object.entries(consistency.counts)) totals[name] = (totals[name] ?? 0) + count;
      }),
      { examples: [[chargedHistory]], numRuns: HISTORIES, seed: testSeed, endOnFailure: true },
    );
    console.log(`${HISTORIES} histories of seed ${testSeed}: ${JSON.stringify(totals)}`);
    expect(totals.charges).toBeGreaterThan(0);
    expect(totals.settledPayments).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
