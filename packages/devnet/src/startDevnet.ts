import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { createDevnetClient, type DevnetClient } from "./client";
import { produceBlocks } from "./produceBlocks";
import type { DevnetScenario, Seeded } from "./scenarios/devnetScenario";
import { type Anvil, startAnvil } from "./startAnvil";
import { ACCOUNT_INDEX, type TestAccount, testAccount } from "./testAccount";

export type DevnetOptions = {
  scenario: DevnetScenario;
  /** The chain's clock when this function returns, in unix seconds; it runs on from there. */
  now: number;
  /** A free port by default. */
  port?: number;
  /** Milliseconds between blocks after the scenario; by default a block is mined for each transaction. */
  blockTimeMs?: number;
  /** Gas limit of a block after the scenario, whose own bulk transactions need more. The node's by default. */
  gasLimit?: bigint;
};

export type Devnet = Anvil &
  Seeded & {
    client: DevnetClient;
    /** First block that can hold an event of the contract. */
    startBlock: bigint;
    /** A funded account for a keeper, which no scenario spends from. */
    keeper: TestAccount;
    /** Ends the mining of blocks every `blockTimeMs`: the head stands still, and transactions wait. */
    stopBlocks(): Promise<void>;
  };

const BLOCK_SECONDS = 12;

/** Starts anvil (chain 31337) with a scenario. The caller must stop it. */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { scenario, now, port, blockTimeMs, gasLimit } = options;
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
    if (gasLimit !== undefined) await client.setBlockGasLimit({ gasLimit });
    const production = blockTimeMs === undefined ? null : await produceBlocks(client, { blockTimeMs });
    return {
      ...anvil,
      ...seeded,
      client,
      startBlock: 1n,
      keeper: testAccount(ACCOUNT_INDEX.keeper),
      stopBlocks: async () => production?.stop(),
      async stop() {
        await production?.stop();
        await anvil.stop();
      },
    };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}
