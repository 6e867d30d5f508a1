import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { createDevnetClient, type DevnetClient } from "./client";
import type { DevnetScenario, Seeded } from "./scenarios/devnetScenario";
import { type Anvil, startAnvil } from "./startAnvil";
import { ACCOUNT_INDEX, type TestAccount, testAccount } from "./testAccount";

export type DevnetOptions = {
  scenario: DevnetScenario;
  /** The chain's clock when this function returns, in unix seconds; it runs on from there. */
  now: number;
  /** A free port by default. */
  port?: number;
  /** Interval of blocks after the scenario; by default a block is mined for each transaction. */
  blockTimeSeconds?: number;
};

export type Devnet = Anvil &
  Seeded & {
    client: DevnetClient;
    /** First block that can hold an event of the contract. */
    startBlock: bigint;
    /** A funded account for a keeper, which no scenario spends from. */
    keeper: TestAccount;
  };

const BLOCK_SECONDS = 12;

/** Starts anvil (chain 31337) with a scenario. The caller must stop it. */
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
