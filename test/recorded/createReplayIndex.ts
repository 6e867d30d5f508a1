import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { indexLogs } from "@dueday/worker/indexer/indexLogs";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { clearIndex } from "../consistency/clearIndex";

/** The index of one replayed chain at a time. */
export type ReplayIndex = {
  /** Indexes a chain, instead of the one before: each has the same chain id and contract address. */
  fill(context: ReplayContext): Promise<void>;
  /** Runs an API on the index while `compare` runs. */
  serve(context: ReplayContext, node: { rpcUrl: string }, compare: (api: TestApi) => Promise<void>): Promise<void>;
};

/** An index in a separate database. Call it at the top of a test file. */
export async function createReplayIndex(): Promise<ReplayIndex> {
  const database = await createTestDatabase();
  return {
    async fill({ url, contract }) {
      await clearIndex(database.database);
      const fixture = { url, contract, chainId: TEST_CHAIN_ID };
      await indexLogs(indexContext({ ...fixture, database: database.database }), new AbortController().signal);
    },
    async serve({ contract }, { rpcUrl }, compare) {
      const api = await startTestApi({ database, rpcUrl, contract });
      try {
        await compare(api);
      } finally {
        await api.stop();
      }
    },
  };
}
