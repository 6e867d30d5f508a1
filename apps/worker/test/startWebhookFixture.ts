import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import type { DeliveryFailureCode } from "@dueday/core/webhooks/webhook";
import { appendTestEvents } from "@dueday/db/test/testEvents";
import { listDeliveries, type WebhookDelivery } from "@dueday/db/webhooks/changeDeliveries";
import { confirmWebhook } from "@dueday/db/webhooks/confirmWebhook";
import { createSecretBox, type SecretBox } from "@dueday/db/webhooks/secretBox";
import { createWebhook, findWebhook, type NewWebhook, type Webhook } from "@dueday/db/webhooks/storeWebhook";
import type { TestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type DeliveryOptions, type RunningDelivery, startDelivery } from "@dueday/worker/webhooks/startDelivery";

export const SUBJECT = "shop";

const UNLIMITED = { perSecond: 100_000, burst: 100_000 };

export type WebhookFixtureOptions = { contract?: string; box?: SecretBox };

/** A separate chain in a test database, with its events and webhooks; its clock is set by the test. */
export function createWebhookFixture(
  { database, url: databaseUrl }: TestDatabase,
  chainId: number,
  {
    contract = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
    box = createSecretBox("ab".repeat(32)),
  }: WebhookFixtureOptions = {},
) {
  const scope = { chainId, contract };
  const clock = { now: Date.now() };
  const attempts: (DeliveryFailureCode | null)[] = [];
  const running: RunningDelivery[] = [];
  let written = 0;

  /** A worker's delivery. */
  function start(options: Partial<DeliveryOptions> = {}): RunningDelivery {
    const delivery = startDelivery({
      database,
      databaseUrl,
      box,
      contracts: [scope],
      clock: () => clock.now,
      random: () => 0,
      resolve: async () => ["127.0.0.1"],
      toLoopback: true,
      timeoutMs: 20_000,
      logger: createLogger(parseConfig({}), { write() {} }),
      // All endpoints of a test are one host.
      targetLimits: { host: UNLIMITED, address: UNLIMITED, mostOfAddress: 1_000 },
      metrics: { noteAttempt: (_, failure) => void attempts.push(failure) },
      ...options,
    });
    running.push(delivery);
    return delivery;
  }

  async function addUnconfirmed(receiver: { url: string; secret: string }, settings: Partial<NewWebhook> = {}) {
    const id = crypto.randomUUID();
    receiver.secret = `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;
    const stored = await createWebhook(
      database,
      {
        id,
        ...scope,
        subjectId: SUBJECT,
        url: receiver.url,
        secret: box.seal(receiver.secret, id),
        description: null,
        types: null,
        subscriptionId: null,
        provider: null,
        subscriber: null,
        ...settings,
      },
      { maximum: 1_000, now: new Date(clock.now) },
    );
    if (stored === null) throw new Error("the webhook is not stored");
    return stored;
  }

  /** A webhook whose URL has answered a challenge. */
  async function addWebhook(receiver: { url: string; secret: string }, settings: Partial<NewWebhook> = {}) {
    const stored = await addUnconfirmed(receiver, settings);
    await confirmWebhook(database, stored, new Date(clock.now));
    return stored;
  }

  const deliveries = (webhook: Pick<Webhook, "id">): Promise<WebhookDelivery[]> =>
    listDeliveries(database, { webhookId: webhook.id, first: 5_000 });

  return {
    scope,
    clock,
    box,
    attempts,
    start,
    addWebhook,
    addUnconfirmed,
    deliveries,
    /** Writes events; each has the number of its seq. */
    async append(count: number): Promise<void> {
      await appendTestEvents(database, scope, { first: written + 1, count });
      written += count;
    },
    async find(webhook: Pick<Webhook, "id">): Promise<Webhook> {
      const found = await findWebhook(database, { id: webhook.id, subjectId: SUBJECT });
      if (found === null) throw new Error("the webhook does not exist");
      return found;
    },
    /** Until the webhook has this number of deliveries, and none is pending. */
    settled: (webhook: Pick<Webhook, "id">, count: number) =>
      waitUntil(`${count} deliveries to be settled`, async () => {
        const all = await deliveries(webhook);
        return all.length >= count && all.every(({ state }) => state !== "pending");
      }),
    /** Until this number of attempts was recorded, of all webhooks. */
    attempted: (count: number) => waitUntil(`${count} attempts`, () => attempts.length >= count),
    async stop(): Promise<void> {
      await Promise.all(running.splice(0).map((each) => each.stop()));
    },
  };
}
