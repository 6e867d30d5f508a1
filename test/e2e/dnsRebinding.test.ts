import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { Resolver } from "node:dns/promises";
import { resolveWebhookHost } from "@dueday/core/webhooks/resolveWebhookHost";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { localhostCertificate } from "@dueday/worker/test/localhostCertificate";
import { startReceiver } from "@dueday/worker/test/startReceiver";
import { createWebhookFixture } from "@dueday/worker/test/startWebhookFixture";
import { startNames } from "./startNames";

// A name server of an attacker, asked over UDP by the runtime's resolver: it knows which look-up it answers.

setDefaultTimeout(60_000);

const PUBLIC = "93.184.216.34";
const PRIVATE = "127.0.0.1";
/** Longer than the first pauses between attempts; all of a test stay below the days after which a webhook is disabled. */
const RETRY_MS = 12 * 3_600_000;

const testDatabase = await createTestDatabase();
let chains = 7_000;

/** Endpoints of this machine that nothing may reach, with and without TLS. */
const traps = [await startReceiver(), await startReceiver({ tls: localhostCertificate })];
afterAll(() => Promise.all(traps.map(({ stop }) => stop())));

test.each([
  ["one address after the other", [[PUBLIC], [PRIVATE]]],
  ["a public address for two look-ups, then a private one", [[PUBLIC], [PUBLIC], [PRIVATE]]],
  ["a public address beside a private one", [[PUBLIC], [PUBLIC, PRIVATE], [PRIVATE, PUBLIC]]],
  ["a private address at every second look-up", [[PUBLIC], [PRIVATE], [PUBLIC], [PRIVATE], [PUBLIC], [PRIVATE]]],
] as const)("a name server that answers %s leads no delivery to a private address", async (_, answers) => {
  for (const trap of traps) {
    let lookUps = 0;
    // The last answer stays.
    const names = await startNames(() => answers[Math.min(lookUps++, answers.length - 1)] ?? [], 0);
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${names.port}`]);
    const resolve = (host: string) => resolver.resolve4(host);
    const { addWebhook, append, attempted, attempts, clock, find, start, stop } = createWebhookFixture(
      testDatabase,
      ++chains,
    );
    try {
      const url = `https://rebinding.example:${trap.port}/hook`;
      // The look-up when the webhook is created.
      const accepted = await resolveWebhookHost(new URL(url), { resolve, toLoopback: false });
      expect(accepted).toMatchObject({ addresses: [PUBLIC] });
      const webhook = await addWebhook({ url, secret: "" });
      const delivery = start({ resolve, toLoopback: false, timeoutMs: 500 });
      await append(1);
      for (let attempt = 1; attempt <= answers.length; attempt++) {
        await attempted(attempt);
        await waitUntil("the failure to be noted", async () => (await find(webhook)).failures === attempt);
        clock.now += RETRY_MS;
        delivery.wake();
      }
      await stop();
      expect(attempts).not.toContain(null);
      expect(attempts).toContain("ADDRESS_REFUSED");
      // One look-up each: none can be answered otherwise between the check and the connection.
      expect(lookUps).toBe(1 + attempts.length);
      expect(trap.received).toEqual([]);
    } finally {
      await stop();
      resolver.cancel();
      await names.stop();
    }
  }
});
