import { parseConfig } from "@dueday/config/parseConfig";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { runUntilSignal } from "./runUntilSignal";

/**
 * A devnet alone, on PORT, for processes of the service that are started beside it. Its blocks come every 2 s, so that
 * the state of the last 50 minutes can be read: the node keeps that of the latest 1,500 blocks (with blocks of 200 ms: 5 minutes).
 */
await runUntilSignal(async (cleanUp) => {
  const { port } = parseConfig(process.env);
  const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000), port, blockTimeMs: 2_000 });
  cleanUp.add(() => devnet.stop());
  process.stderr.write(`devnet on ${devnet.url}, contract ${devnet.contract}\n`);
});
