import { networkOf } from "@dueday/core/webhooks/networkOf";
import type { Database } from "@dueday/db/connectDatabase";
import { type TargetRate, takeTargets } from "@dueday/db/webhooks/takeTargets";

/** The limits of a destination over all webhooks that name it. */
export type TargetLimits = {
  /**
   * Counts an attempt to a host that has these addresses.
   *
   * @returns `release`, to call when the attempt has ended; or the time after which to try again, where nothing may be sent now
   */
  take(host: string, addresses: readonly string[]): Promise<{ release(): void } | { waitMs: number }>;
};

export type TargetLimitsOptions = {
  host: TargetRate;
  /** One address can serve the hosts of many owners, on a platform or behind a network that protects them. */
  address: TargetRate;
  /** Attempts of this process to one address at a time. */
  mostOfAddress: number;
};

export const TARGET_LIMITS: TargetLimitsOptions = {
  host: { perSecond: 50, burst: 100 },
  address: { perSecond: 200, burst: 400 },
  mostOfAddress: 64,
};

/** Time until an address is tried again whose connections are all in use. */
const BUSY_MS = 1_000;

/** The limits of destinations: their rates in the database, for all workers; connections to an address in this process. */
export function createTargetLimits(database: Database, limits: TargetLimitsOptions = TARGET_LIMITS): TargetLimits {
  const open = new Map<string, number>();

  function add(networks: readonly string[], change: 1 | -1): void {
    for (const network of networks) {
      const count = (open.get(network) ?? 0) + change;
      if (count === 0) open.delete(network);
      else open.set(network, count);
    }
  }

  return {
    async take(host, addresses) {
      const networks = [...new Set(addresses.map(networkOf))];
      if (networks.some((network) => (open.get(network) ?? 0) >= limits.mostOfAddress)) return { waitMs: BUSY_MS };
      add(networks, 1);
      const release = () => add(networks, -1);
      try {
        const waitMs = await takeTargets(database, [
          { target: `host:${host}`, rate: limits.host },
          ...networks.map((network) => ({ target: `address:${network}`, rate: limits.address })),
        ]);
        if (waitMs === 0) return { release };
        release();
        return { waitMs };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}
