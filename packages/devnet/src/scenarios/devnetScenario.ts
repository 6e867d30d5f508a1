import type { Address, Hex } from "viem";
import type { DevnetClient } from "../client";

/** The initial content of a chain. */
export type DevnetScenario = {
  /** Age of the chain's first block, in days before `now`. */
  daysBefore: number;
  /** Number of accounts of the test mnemonic whose keys the node holds. */
  accounts: number;
  /**
   * Deploys the contracts and sends the transactions of the scenario. The node mines each transaction at once, in blocks 12 s
   * apart. The chain's clock is set to `now` (unix seconds) afterwards, so no block may be later.
   */
  seed(client: DevnetClient, now: number): Promise<Seeded>;
};

export type Seeded = {
  contract: Address;
  tokens: Address[];
  /** Subscription ids by the name that the scenario uses. */
  subscriptions: Record<string, Hex>;
};
