import { listenEvents } from "@dueday/db/outbox/listenEvents";
import type { ContractScope } from "@dueday/db/schema/columns";
import { fanOutEvents } from "@dueday/db/webhooks/fanOutEvents";
import {
  extendLeases,
  isDoubtful,
  type LeasedWebhook,
  leaseWebhooks,
  releaseWebhooks,
  type Turns,
} from "@dueday/db/webhooks/leaseWebhooks";
import { createFaultLog } from "../createFaultLog";
import { createTargetLimits, type TargetLimitsOptions } from "./createTargetLimits";
import { type DeliveryContext, deliverTo } from "./deliverTo";

export type DeliveryOptions = Omit<DeliveryContext, "workerId" | "targets"> & {
  /** Default: `TARGET_LIMITS`. */
  targetLimits?: TargetLimitsOptions;
  /** For the connection that listens for new events. */
  databaseUrl: string;
  /** The contracts whose events are delivered. */
  contracts: readonly ContractScope[];
};

export type RunningDelivery = {
  /** Looks for work now: tests that set the clock do not wait for the next poll. */
  wake(): void;
  /** Ends the attempts under way within some seconds and gives all webhooks back. */
  stop(): Promise<void>;
};

/**
 * The most endpoints that a process sends to at the same time: `steady` ones answered well last time, `doubtful` ones failed or were slow.
 * Each costs a connection and little else, because most of the time is spent waiting for the endpoint.
 */
const MOST_TURNS: Turns = { steady: 192, doubtful: 64 };
/**
 * An attempt that becomes slow leaves its turn to others and continues beside them, up to this number in a process; further ones end. So a turn for
 * an endpoint that answers is free within a second, whatever the others do.
 */
const MOST_TURNED_SLOW = 256;
/** Finds retries that are due, tests, and events whose notification was lost. */
const POLL_MS = 1_000;
/** Time after which other workers take over the webhooks of a killed worker. */
const LEASE_MS = 8_000;
const EXTEND_EVERY_MS = 2_000;
/** Pause between a round that did not reach all new events and the next one. */
const REST_MS = 20;
/** When the process stops, attempts under way have this time to end by themselves. */
const GRACE_MS = 2_000;

/** One turn of a webhook. `turnedSlow` began as `steady`. */
type Turn = { kind: keyof Turns | "turnedSlow"; ended: Promise<void> };

/**
 * Delivers events to webhooks until `stop()`. The work is stored in the database; notifications of new events and a poll only start a
 * round. So no queue is needed, and any number of processes may run this at once.
 */
export function startDelivery({ databaseUrl, contracts, targetLimits, ...parts }: DeliveryOptions): RunningDelivery {
  const targets = createTargetLimits(parts.database, targetLimits);
  const context: DeliveryContext = { ...parts, targets, workerId: crypto.randomUUID() };
  const { database, clock, logger, workerId } = context;
  const lease = { workerId, leaseMs: LEASE_MS };
  const aborter = new AbortController();
  const turns = new Map<string, Turn>();
  let stopping = false;
  const texts = {
    failed: "webhooks can't be delivered: the database failed",
    succeeded: "webhooks are delivered again",
  };
  const faults = createFaultLog(logger, texts);
  let isWanted = false;
  let areEventsWanted = false;
  let rounds: Promise<void> | null = null;

  /** Starts a round, because there may be events to make deliveries of. */
  function wake(): void {
    areEventsWanted = true;
    wakeForTurns();
  }

  /** Starts a round, because there may be turns to begin. */
  function wakeForTurns(): void {
    isWanted = true;
    rounds ??= runRounds();
  }

  async function runRounds(): Promise<void> {
    while (isWanted && !stopping) {
      isWanted = false;
      try {
        await round();
        faults.succeeded();
      } catch (error) {
        // The poll tries again.
        faults.failed(error);
        isWanted = false;
      }
    }
    rounds = null;
  }

  async function round(): Promise<void> {
    const now = new Date(clock());
    if (areEventsWanted) {
      areEventsWanted = false;
      for (const scope of contracts) {
        const { isBehind } = await fanOutEvents(database, scope, now);
        if (isBehind) setTimeout(wake, REST_MS);
      }
    }
    const most = {
      steady: MOST_TURNS.steady - count("steady"),
      doubtful: MOST_TURNS.doubtful - count("doubtful"),
    };
    if (most.steady <= 0 && most.doubtful <= 0) return;
    for (const webhook of await leaseWebhooks(database, lease, { contracts, most, now })) {
      if (turns.has(webhook.id)) continue;
      const turn: Turn = { kind: isDoubtful(webhook) ? "doubtful" : "steady", ended: Promise.resolve() };
      turns.set(webhook.id, turn);
      turn.ended = run(webhook, turn);
    }
  }

  function count(kind: Turn["kind"]): number {
    return turns.values().reduce((sum, turn) => (turn.kind === kind ? sum + 1 : sum), 0);
  }

  function leaveTurn(turn: Turn): boolean {
    if (turn.kind !== "steady") return true;
    if (count("turnedSlow") >= MOST_TURNED_SLOW) return false;
    turn.kind = "turnedSlow";
    wakeForTurns();
    return true;
  }

  async function run(webhook: LeasedWebhook, turn: Turn): Promise<void> {
    try {
      // The turn ends before the webhook is released: a round that leases it at this moment must begin the next turn.
      const options = { signal: aborter.signal, stopping: () => stopping, onSlow: () => leaveTurn(turn) };
      await deliverTo(context, webhook, options).finally(() => turns.delete(webhook.id));
      await releaseWebhooks(database, workerId, webhook.id);
      wakeForTurns();
    } catch (error) {
      // `stop()` releases all webhooks. Otherwise the lease expires, because nothing extends it; attempts that were not recorded are
      // sent again.
      if (!aborter.signal.aborted)
        logger.warn({ err: error, webhook: webhook.id }, "deliveries to a webhook are interrupted");
    }
  }

  const listener = listenEvents({
    url: databaseUrl,
    onEvents: wake,
    onConnect: wake,
    onDisconnect: (error) => logger.warn({ err: error }, "notifications of new events do not arrive; polling"),
  });
  const poll = setInterval(wake, POLL_MS);
  const extension = setInterval(() => {
    if (turns.size === 0) return;
    extendLeases(database, lease, [...turns.keys()]).catch((err: unknown) =>
      logger.warn({ err }, "leases of webhooks can't be extended"),
    );
  }, EXTEND_EVERY_MS);

  return {
    wake,
    async stop() {
      stopping = true;
      clearInterval(poll);
      clearInterval(extension);
      await Promise.all([listener.close(), rounds]);
      const running = Promise.all(turns.values().map(({ ended }) => ended));
      await Promise.race([running, Bun.sleep(GRACE_MS)]);
      aborter.abort();
      await running;
      await releaseWebhooks(database, workerId).catch((err: unknown) =>
        logger.warn({ err }, "webhooks were not given back: their leases will expire"),
      );
    },
  };
}
