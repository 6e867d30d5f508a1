import { createChainClient } from "@dueday/chain/client/createChainClient";
import { type DemoArguments, demoArguments, planToken } from "@dueday/devnet/demoArguments";
import { demo } from "@dueday/devnet/scenarios/demo";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase, type TestDatabase } from "@dueday/test-support/createTestDatabase";
import { indexTestChain } from "./indexTestChain";
import { keepDemoPermit } from "./keepDemoPermit";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "./startTestApi";

/** Monday, 21 September 2026. */
const NOW_SECONDS = 1_790_000_000;

export type DemoApi = {
  api: TestApi;
  devnet: Devnet;
  database: TestDatabase;
  /** Inputs that the chain can answer. */
  argumentsOf: DemoArguments;
  stop(): Promise<void>;
};

/** An API on the demo chain, with its events indexed; the clock stands at the chain's time. */
export async function startDemoApi(env: Record<string, string> = {}): Promise<DemoApi> {
  const [database, devnet] = await Promise.all([
    createTestDatabase(),
    startDevnet({ scenario: demo, now: NOW_SECONDS }),
  ]);
  const { contract, url } = devnet;
  const client = createChainClient({ chainId: TEST_CHAIN_ID, rpcUrls: [url], requestTimeoutMs: 5_000 });
  await indexTestChain({ database: database.database, client, contract });
  const ofChain = await demoArguments(devnet);
  const permitId = await keepDemoPermit(database.database, devnet, { token: await planToken(devnet) });
  const argumentsOf: DemoArguments = (operation) => ({
    ...ofChain(operation),
    ...("permitId" in operation.input.properties ? { permitId } : {}),
  });
  const clock = () => NOW_SECONDS * 1000;
  const api = await startTestApi({ database, rpcUrl: url, contract, clock, env, exampleInputs: argumentsOf });
  return {
    api,
    devnet,
    database,
    argumentsOf,
    async stop() {
      await api.stop();
      await devnet.stop();
    },
  };
}
