import type { Address, Hex } from "viem";
import type { DevnetClient } from "../client";

/** What a chain holds when it starts. */
export type DevnetScenario = {
  /** Days before `now` at which the chain's first block lies. */
  daysBefore: number;
  /** Accounts of the test mnemonic that the node holds the keys of. */
  accounts: number;
  /**
   * Deploys and fills. The node mines at once, each block 12 s after the last; `now` (seconds since 1970) is the time that
   * the chain will show when the scenario is done, and no block may come later.
   */
  seed(client: DevnetClient, now: number): Promise<Seeded>;
};

export type Seeded = {
  contract: Address;
  tokens: Address[];
  /** Ids by a name that the scenario gives them. */
  subscriptions: Record<string, Hex>;
};
