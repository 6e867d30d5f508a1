import { readHead } from "@dueday/chain/block/readHead";
import { DAY_MS } from "@dueday/core/calendar/dayNumber";
import { prunePortal } from "@dueday/db/access/prunePortal";
import { pruneDuePages } from "@dueday/db/duePages/pruneDuePages";
import { pruneOutbox } from "@dueday/db/outbox/pruneOutbox";
import { pruneMails } from "@dueday/db/reminders/pruneMails";
import { pruneSnapshots } from "@dueday/db/snapshots/pruneSnapshots";
import { pruneSnapshotVersions } from "@dueday/db/snapshots/pruneSnapshotVersions";
import { pruneDeliveries } from "@dueday/db/webhooks/pruneDeliveries";
import type { ChainContext } from "../context";
import { scannedDays } from "./scannedDays";

/** A worker of another release that has not written its versions for this time counts as gone. */
const OTHER_VERSIONS_KEPT_MS = 24 * 3_600_000;

/**
 * Deletes the due lists of days that are no longer scanned, the pages that no due list names any more, the snapshots of schema versions that
 * are no longer written, old events, their deliveries, and what all chains share: expired challenges and sessions of the developer portal,
 * old mails, and mailboxes that were not confirmed.
 */
export async function prune(context: ChainContext): Promise<void> {
  const { chain, client, database, clock, eventsRetentionDays, head } = context;
  const { chainId, contract } = chain;
  const keep = scannedDays(head() ?? (await readHead(client))).map(String);
  await pruneSnapshots(database, { chainId, contract, kind: "due", keep });
  await pruneSnapshotVersions(database, { chainId, contract, before: new Date(clock() - OTHER_VERSIONS_KEPT_MS) });
  await pruneDuePages(database, chain);
  const before = new Date(clock() - eventsRetentionDays * DAY_MS);
  await pruneOutbox(database, chain, before);
  await pruneDeliveries(database, before);
  await prunePortal(database, new Date(clock()));
  await pruneMails(database, new Date(clock()));
}
