import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { createDevnetClient, type DevnetClient } from "./client";
import type { DevnetScenario, Seeded } from "./scenarios/devnetScenario";
import { type Anvil, startAnvil } from "./startAnvil";
import { ACCOUNT_INDEX, type TestAccount, testAccount } from "./testAccount";

export type DevnetOptions = {
  scenario: DevnetScenario;
  /** Seconds since 1970 that the chain's clock shows when it is handed over, and runs on from. */
  now: number;
  /** A free port by default. */
  port?: number;
  /** With it, blocks come at this interval once the scenario stands; without it, with each transaction. */
  blockTimeSeconds?: number;
};

export type Devnet = Anvil &
  Seeded & {
    client: DevnetClient;
    /** First block that can hold an event of the contract. */
    startBlock: bigint;
    /** A funded account that no scenario uses up: for a keeper. */
    keeper: TestAccount;
  };

const BLOCK_SECONDS = 12;

/** Starts anvil (chain 31337) and fills it with a scenario. The caller stops it. */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { scenario, now, port, blockTimeSeconds } = options;
  const anvil = await startAnvil({
    timestamp: now - scenario.daysBefore * DAY_SECONDS,
    accounts: scenario.accounts,
    ...(port === undefined ? {} : { port }),
  });
  try {
    const client = createDevnetClient(anvil.url);
    await client.setBlockTimestampInterval({ interval: BLOCK_SECONDS });
    const seeded = await scenario.seed(client, now);
    await client.removeBlockTimestampInterval();
    await client.setNextBlockTimestamp({ timestamp: BigInt(now) });
    await client.mine({ blocks: 1 });
    if (blockTimeSeconds !== undefined) await client.setIntervalMining({ interval: blockTimeSeconds });
    return { ...anvil, ...seeded, client, startBlock: 1n, keeper: testAccount(ACCOUNT_INDEX.keeper) };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}
