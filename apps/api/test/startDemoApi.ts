import { createKeyText } from "@dueday/api/identity/keyText";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { withdrawalMessage } from "@dueday/core/permit/withdrawalMessage";
import { createDeveloperKey } from "@dueday/db/access/createDeveloperKey";
import { type DemoArguments, demoArguments, planToken } from "@dueday/devnet/demoArguments";
import { demo } from "@dueday/devnet/scenarios/demo";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase, type TestDatabase } from "@dueday/test-support/createTestDatabase";
import { privateKeyToAccount } from "viem/accounts";
import { indexTestChain } from "./indexTestChain";
import { keepDemoPermit, permitSigner } from "./keepDemoPermit";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "./startTestApi";

/** Monday, 21 September 2026. */
const NOW_SECONDS = 1_790_000_000;

export type DemoApi = {
  api: TestApi;
  devnet: Devnet;
  database: TestDatabase;
  /** Inputs that the chain can answer. */
  argumentsOf: DemoArguments;
  /** Headers of a developer. */
  developer: { Authorization: string };
  /** Keeps the permit of `argumentsOf` again, after a call that has withdrawn it. */
  keepAgain(): Promise<void>;
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
  const message = withdrawalMessage({ permitId, chainId: TEST_CHAIN_ID });
  const signature = await privateKeyToAccount(permitSigner.privateKey).signMessage({ message });
  const argumentsOf: DemoArguments = (operation) => ({
    ...ofChain(operation),
    ...("permitId" in operation.input.properties ? { permitId } : {}),
    ...(operation.name === "withdraw_permit" ? { signature } : {}),
  });
  const clock = () => NOW_SECONDS * 1000;
  const api = await startTestApi({
    database,
    rpcUrl: url,
    contract,
    clock,
    env: { DEVELOPER_KEYS_ENABLED: "true", ...env },
    exampleInputs: argumentsOf,
  });
  return {
    api,
    devnet,
    database,
    argumentsOf,
    developer: { Authorization: `Bearer ${await createDemoKey(database)}` },
    async keepAgain() {
      await database.database.sql`update permits set state = 'kept' where id = ${permitId}`;
    },
    async stop() {
      await api.stop();
      await devnet.stop();
    },
  };
}

/** Stores a developer key. @returns its text */
async function createDemoKey({ database }: TestDatabase): Promise<string> {
  const { text, ...stored } = createKeyText();
  const [id, requestId] = [crypto.randomUUID(), crypto.randomUUID()];
  const key = { id, subjectId: "demo", label: null, ...stored };
  await createDeveloperKey(database, key, 1, { at: new Date(), client: "demo", requestId });
  return text;
}
