import { listenEvents } from "@dueday/db/outbox/listenEvents";
import { type LeasedMail, leaseMails } from "@dueday/db/reminders/leaseMails";
import { makeMails } from "@dueday/db/reminders/makeMails";
import { makeSummaries } from "@dueday/db/reminders/makeSummaries";
import { makeWarnings } from "@dueday/db/reminders/makeWarnings";
import { releaseMails } from "@dueday/db/reminders/recordMail";
import type { ContractScope } from "@dueday/db/schema/columns";
import { createFaultLog } from "../createFaultLog";
import { restMs } from "../webhooks/retrySchedule";
import { type ReminderContext, sendReminder } from "./sendReminder";

export type RemindersOptions = ReminderContext & {
  /** For the connection that listens for new events. */
  databaseUrl: string;
  /** The contracts whose events become mails. */
  contracts: readonly ContractScope[];
  /** Time after which other workers take over the mails of a killed worker. Default 90 s: longer than the longest attempt. */
  leaseMs?: number;
};

export type RunningReminders = {
  /** Looks for work now, for tests that set the clock. Resolves when all mails are made; they may still be under way. */
  wake(): Promise<void>;
  /** Ends within some seconds: mails that are still under way are given back and sent again, even if the server has accepted them. */
  stop(): Promise<void>;
};

const POLL_MS = 1_000;
/** States are read at this interval, and after new events. */
const STATES_EVERY_MS = 10_000;
const LEASE_MS = 90_000;
/** Mails of a process that are being sent. */
const MOST_AT_ONCE = 8;
const GRACE_MS = 2_000;

/**
 * Makes mails about what happens and will happen, and sends them, until `stop()`. The mails to send are rows in the database; notifications
 * of new events and a poll only start a round. Any number of processes may run this at once.
 */
export function startReminders({
  databaseUrl,
  contracts,
  leaseMs = LEASE_MS,
  ...context
}: RemindersOptions): RunningReminders {
  const { database, clock, logger, server } = context;
  const workerId = crypto.randomUUID();
  const sending = new Set<Promise<void>>();
  const databaseFaults = createFaultLog(logger, {
    failed: "reminders can't be made or sent: the database failed",
    succeeded: "reminders are made and sent again",
  });
  let stopping = false;
  let isWanted = false;
  let areStatesWanted = true;
  let statesAt = Number.NEGATIVE_INFINITY;
  let rounds: Promise<void> | null = null;
  /** Failures since the server was last reached; attempts that began together count as one. */
  let unreached = 0;
  let restsUntil = Number.NEGATIVE_INFINITY;

  function wake(): Promise<void> {
    areStatesWanted = true;
    return poll();
  }

  function poll(): Promise<void> {
    isWanted = true;
    rounds ??= runRounds();
    return rounds;
  }

  async function runRounds(): Promise<void> {
    while (isWanted && !stopping) {
      isWanted = false;
      try {
        await round();
        databaseFaults.succeeded();
      } catch (error) {
        // The poll tries again.
        databaseFaults.failed(error);
        isWanted = false;
      }
    }
    rounds = null;
  }

  async function round(): Promise<void> {
    const now = new Date(clock());
    const areStatesDue = areStatesWanted || performance.now() - statesAt >= STATES_EVERY_MS;
    areStatesWanted = false;
    if (areStatesDue) statesAt = performance.now();
    for (const scope of contracts) {
      const { isBehind } = await makeMails(database, scope, now);
      if (isBehind) isWanted = true;
      if (!areStatesDue) continue;
      await makeWarnings(database, scope, now);
      await makeSummaries(database, scope, now);
    }
    const most = MOST_AT_ONCE - sending.size;
    // A rest that ends later than the longest one could was set before the clock was set back: it does not count.
    const rests = restsUntil > clock() && restsUntil <= clock() + restMs(Number.MAX_SAFE_INTEGER, true);
    if (most <= 0 || rests) return;
    for (const mail of await leaseMails(database, { workerId, leaseMs }, { most: unreached > 0 ? 1 : most, now })) {
      const run = send(mail).finally(() => {
        sending.delete(run);
        void poll();
      });
      sending.add(run);
    }
  }

  async function send(mail: LeasedMail): Promise<void> {
    const before = unreached;
    try {
      if (await sendReminder(context, mail)) {
        if (unreached > 0) logger.info("the mail server can be reached again");
        unreached = 0;
        restsUntil = Number.NEGATIVE_INFINITY;
        return;
      }
      if (unreached === 0) logger.warn("the mail server can't be reached; mails wait until it can");
      if (unreached <= before) unreached += 1;
      restsUntil = clock() + restMs(unreached, true);
      await releaseMails(database, workerId, mail.id);
    } catch (error) {
      // Its lease expires, and mails that were not recorded as sent are sent again.
      if (!stopping) logger.warn({ err: error, mail: mail.id }, "a mail is interrupted");
    }
  }

  const listener = listenEvents({
    url: databaseUrl,
    onEvents: () => void wake(),
    onConnect: () => void wake(),
    onDisconnect: (error) => logger.warn({ err: error }, "notifications of new events do not arrive; polling"),
  });
  const timer = setInterval(() => void poll(), POLL_MS);
  return {
    wake,
    async stop() {
      stopping = true;
      clearInterval(timer);
      await Promise.all([listener.close(), rounds]);
      await Promise.race([Promise.all(sending), Bun.sleep(GRACE_MS)]);
      server.close();
      await releaseMails(database, workerId).catch((err: unknown) =>
        logger.warn({ err }, "mails were not given back: their leases will expire"),
      );
    },
  };
}
