import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import type { DevnetScenario } from "@dueday/devnet/scenarios/devnetScenario";
import type { Devnet } from "@dueday/devnet/startDevnet";
import { createCleanUp } from "@dueday/local/createCleanUp";
import { startStack } from "@dueday/local/startStack";
import { buildApp } from "@dueday/web/tools/buildApp";

export type WebDemo = {
  /** Where the service and its web app are. */
  url: string;
  devnet: Devnet;
  /** Moves the chain's clock, and waits until the service answers for the block. */
  travel(days: number): Promise<void>;
  /** Waits until the service answers for the chain's present head. */
  caughtUp(): Promise<void>;
  stop(): Promise<void>;
};

/**
 * The whole service with its web app, on a chain of its own, as `bun run demo` has it.
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
    const { service, devnet } = await startStack({
      env: { PORT: "0", DEVNET_PORT: "0", ...env },
      ...{ scenario, buildApp, cleanUp, folder: "dueday-web-test-" },
      write: (line) => void process.stderr.write(line),
      onFatal: (error) => {
        failure = error;
      },
    });
    const { client } = devnet;

    async function caughtUp() {
      if (failure !== null) throw failure;
      const head = await client.getBlockNumber();
      for (const path of ["/remit/readiness", "/remit/history"])
        await waitForAnswer(`${service.url}${path}?minBlock=${head}`);
    }

    return {
      ...{ url: service.url, devnet, caughtUp, stop: cleanUp.run },
      async travel(days) {
        const { timestamp } = await client.getBlock();
        await client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(Math.round(days * DAY_SECONDS)) });
        await client.mine({ blocks: 1 });
        await caughtUp();
      },
    };
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}

const ATTEMPTS = 12;

/** Each attempt waits for the block, up to 5 s. */
async function waitForAnswer(url: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url);
    if (response.ok) return;
    if (attempt === ATTEMPTS) throw new Error(`${url} answers ${response.status}`);
  }
}
