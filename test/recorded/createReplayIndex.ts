import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import { deriveRange } from "@dueday/db/eventIndex/deriveRange";
import { underiveAbove } from "@dueday/db/eventIndex/underiveAbove";
import { readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { rebuildDerived } from "@dueday/db/indexing/rebuildDerived";
import { indexContents } from "@dueday/db/test/indexContents";
import type { ReplayContext } from "@dueday/devnet/replay/setUp";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { indexLogs } from "@dueday/worker/indexer/indexLogs";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { clearIndex } from "../consistency/clearIndex";

/** The index of one replayed chain at a time. */
export type ReplayIndex = {
  /** Indexes a chain, instead of the one before: each has the same chain id and contract address. */
  fill(context: ReplayContext): Promise<void>;
  /** Takes the newer half of the indexed blocks out of the derived tables and applies it again, then rebuilds them from the logs. */
  derive(context: ReplayContext): Promise<{ reorganised: unknown; rebuilt: unknown; before: unknown }>;
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
    async derive({ contract }) {
      const scope = { chainId: TEST_CHAIN_ID, contract };
      const contents = () => indexContents(database.database, scope);
      const before = await contents();
      const checkpoint = await readCheckpoint(database.database, scope);
      const middle = Math.floor((checkpoint?.number ?? 0) / 2);
      await database.database.sql.begin(async (sql) => {
        await underiveAbove(sql, scope, middle);
        await deriveRange(sql, scope, { from: middle + 1, to: checkpoint?.number ?? 0 });
      });
      const reorganised = await contents();
      await rebuildDerived(database.database, scope);
      return { before, reorganised, rebuilt: await contents() };
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
