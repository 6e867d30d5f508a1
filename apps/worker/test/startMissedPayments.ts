import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";

/**
 * An empty database, and a chain with the scenario of missed payments behind a proxy that counts calls.
 *
 * @param cleanUps gets what stops the chain, then what stops the proxy: call them in reverse
 */
export async function startMissedPayments(cleanUps: (() => unknown)[]) {
  const { database, url } = await createTestDatabase();
  const devnet = await startDevnet({ scenario: missedPayments, now: Math.floor(Date.now() / 1000) });
  cleanUps.push(() => devnet.stop());
  const proxy = startNodeProxy(devnet.url);
  cleanUps.push(() => proxy.stop());
  return { database, url, devnet, proxy };
}
