import { afterAll, expect, test } from "bun:test";
import { freePort } from "@dueday/db/embedded/freePort";
import { redeliver } from "@dueday/db/webhooks/changeDeliveries";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { createWebhookFixture, SUBJECT } from "@dueday/worker/test/startWebhookFixture";
import { startProcess } from "./startProcess";

const testDatabase = await createTestDatabase();
const { append, addWebhook, start, settled, deliveries, clock, stop } = createWebhookFixture(testDatabase, 31_337);
afterAll(stop);

test("the example prints each event once, also one that is delivered twice, and refuses what is not signed", async () => {
  const port = await freePort();
  const target = { url: `http://127.0.0.1:${port}/`, secret: "" };
  const webhook = await addWebhook(target);
  const example = await startProcess("examples/webhookReceiver.ts", {
    args: ["--port", String(port)],
    env: { WEBHOOK_SECRET: target.secret },
  });
  try {
    await example.printed(/waiting for webhooks/);
    const delivery = start();
    await append(3);
    await settled(webhook, 3);
    const [last] = await deliveries(webhook);
    const again = { id: webhook.id, subjectId: SUBJECT, deliveryId: last?.id ?? 0 };
    await redeliver(testDatabase.database, again, new Date(clock.now));
    delivery.wake();
    await settled(webhook, 3);
    const unsigned = await fetch(target.url, { method: "POST", body: '{"id":"evt_1","type":"payment.paid"}' });
    expect([unsigned.status, await unsigned.text()]).toEqual([400, "MISSING_HEADER"]);
    await waitUntil("the refusal to be printed", async () => (await example.output()).includes("refused: "));
    const printed = (await example.output()).match(/^evt_\w+ payment\.paid /gm) ?? [];
    expect(printed).toHaveLength(3);
    expect(new Set(printed).size).toBe(3);
  } finally {
    await example.dispose();
  }
});
