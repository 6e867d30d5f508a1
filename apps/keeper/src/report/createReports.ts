import type { ChainReport, ChainStatus } from "./chainReport";
import type { Notifier } from "./createNotifier";
import type { KeeperLog } from "./keeperLog";

export type Reports = {
  reportFor(chainId: number): ChainReport;
  statusOf(chainId: number): ChainStatus | undefined;
  statuses(): ReadonlyMap<number, ChainStatus>;
};

const STARTING: ChainStatus = {
  state: "starting",
  reason: null,
  lastPlanAt: null,
  balanceWei: null,
  daysOfGas: null,
  lagSeconds: 0,
};

/** Reports of all chains, each under its id, into one log and one notifier. */
export function createReports({ log, notifier }: { log: KeeperLog; notifier: Notifier }): Reports {
  const statuses = new Map<number, ChainStatus>();
  return {
    statusOf: (chainId) => statuses.get(chainId),
    statuses: () => statuses,
    reportFor(chainId) {
      statuses.set(chainId, STARTING);
      const named = (text: string) => `[${chainId}] ${text}`;
      return {
        log: (level, message, facts) => log(level, message, { chainId, ...facts }),
        raise(incident, text) {
          if (notifier.raise(`${chainId} ${incident}`, named(text))) log("warn", text, { chainId, incident });
        },
        resolve(incident, text) {
          if (notifier.resolve(`${chainId} ${incident}`, named(`over: ${text}`)))
            log("info", text, { chainId, incident });
        },
        announce: (text) => notifier.announce(named(text)),
        status: (change) => void statuses.set(chainId, { ...(statuses.get(chainId) ?? STARTING), ...change }),
      };
    },
  };
}
