import type { DevnetScenario } from "@dueday/devnet/scenarios/devnetScenario";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { createCleanUp } from "@dueday/local/createCleanUp";
import { type StackFacts, stackFacts } from "@dueday/local/stackFacts";
import { startStack } from "@dueday/local/startStack";
import { createChain } from "@dueday/testkit/chain/createChain";
import { buildApp } from "@dueday/web/tools/buildApp";

export type WebDemo = {
  /** Where the service and its web app are. */
  url: string;
  devnet: Devnet;
  facts: StackFacts;
  databaseUrl: string;
  /** Moves the chain's clock by whole days, and waits until the service answers for the block. */
  travel(days: number): Promise<void>;
  /** Waits until the service answers for the chain's present head. */
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * The whole service with its web app, on a private chain, as `bun run demo` has it, once it has followed the chain up to its head.
 *
 * @param env settings
 */
export async function startWebDemo(
  scenario: DevnetScenario,
  env: Readonly<Record<string, string>> = {},
): Promise<WebDemo> {
  const cleanUp = createCleanUp();
  let failure: Error | null = null;
  try {
    const stack = await startStack({
      env: { PORT: "0", DEVNET_PORT: "0", ...env },
      scenario,
      buildApp,
      cleanUp,
      folder: "dueday-web-test-",
      write: (line) => void process.stderr.write(line),
      onFatal: (error) => {
        failure = error;
      },
    });
    const facts = await stackFacts(stack);
    const { caughtUp, travel } = createChain(facts);
    // Before the index has all blocks, pages show a part of the history.
    await caughtUp();
    return {
      url: stack.service.url,
      facts,
      devnet: stack.devnet,
      databaseUrl: stack.databaseUrl,
      stop: cleanUp.run,
      async caughtUp() {
        if (failure !== null) throw failure;
        await caughtUp();
      },
      async travel(days) {
        await travel(`${days} days`);
      },
    };
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}
