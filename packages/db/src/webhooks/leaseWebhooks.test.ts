import { beforeEach, expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { webhookDeliveries, webhooks } from "../schema/webhooks";
import { leaseWebhooks, SHARES, type Turns } from "./leaseWebhooks";

const { database } = await createTestDatabase();
const scope = { chainId: 1, contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" };
const now = new Date();

beforeEach(async () => {
  await database.sql`truncate webhooks cascade`;
});

type State = { failures?: number; isSlow?: boolean; servedAt?: Date | null; subjectId?: string; host?: string };

/** Confirmed webhooks with one due delivery each, every one of another subject and host unless the state names them. */
async function add(count: number, state: State): Promise<void> {
  const rows = Array.from({ length: count }, () => {
    const id = crypto.randomUUID();
    return {
      ...scope,
      id,
      subjectId: id,
      url: `https://${id}.example/`,
      host: `${id}.example`,
      secret: "0x00" as const,
      confirmedAt: now,
      enabled: true,
      afterSeq: 0,
      revision: 0,
      createdAt: now,
      updatedAt: now,
      ...state,
    };
  });
  const due = rows.map(({ id }) => ({
    webhookId: id,
    eventId: "evt",
    type: "payment.paid",
    state: "pending",
    requested: false,
    attempts: 0,
    nextAttemptAt: now,
    createdAt: now,
  }));
  await database.run("add webhooks", (db) => db.insert(webhooks).values(rows));
  await database.run("add deliveries", (db) => db.insert(webhookDeliveries).values(due));
}

/** Numbers of webhooks that a worker leases. */
async function lease(most: Turns) {
  const lease = { workerId: crypto.randomUUID(), leaseMs: 60_000 };
  const leased = await leaseWebhooks(database, lease, { contracts: [scope], most, now });
  return {
    steady: leased.filter(({ failures, isSlow }) => failures === 0 && !isSlow).length,
    failing: leased.filter(({ failures }) => failures > 0).length,
    slow: leased.filter(({ isSlow }) => isSlow).length,
  };
}

test.each(["failing", "slow"] as const)(
  "webhooks that are %s take no turn of those that answer, although they have waited longer",
  async (kind) => {
    const doubtful = kind === "slow" ? { isSlow: true } : { failures: 1 };
    await add(20, { ...doubtful, servedAt: null });
    await add(5, { servedAt: now });
    expect(await lease({ steady: 3, doubtful: 0 })).toEqual({ steady: 3, failing: 0, slow: 0 });
    expect(await lease({ steady: 10, doubtful: 4 })).toEqual({ steady: 2, failing: 0, slow: 0, [kind]: 4 });
  },
);

test.each(["subjectId", "host"] as const)(
  "webhooks that fail use up only a share of their own of a %s, over all workers",
  async (key) => {
    const same = { [key]: "one" };
    const { steady, doubtful } = SHARES.subject;
    await add(2 * doubtful, { ...same, failures: 1, servedAt: null });
    expect(await lease({ steady: 100, doubtful: 100 })).toEqual({ steady: 0, failing: doubtful, slow: 0 });
    await add(2 * steady, same);
    expect(await lease({ steady: 100, doubtful: 100 })).toEqual({ steady, failing: 0, slow: 0 });
    expect(await lease({ steady: 100, doubtful: 100 })).toEqual({ steady: 0, failing: 0, slow: 0 });
  },
);
