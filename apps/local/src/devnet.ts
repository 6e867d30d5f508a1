import { parseConfig } from "@dueday/config/parseConfig";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { runUntilSignal } from "./runUntilSignal";

/**
 * A devnet alone, on PORT, for processes of the service that are started beside it. Its blocks come every 2 s, because it may be left running
 * for a day: the node keeps the state of the latest 1,500 blocks, which is 50 minutes of them (with blocks of 200 ms it would be 5).
 */
await runUntilSignal(async (cleanUp) => {
  const { port } = parseConfig(process.env);
  const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000), port, blockTimeMs: 2_000 });
  cleanUp.add(() => devnet.stop());
  process.stderr.write(`devnet on ${devnet.url}, contract ${devnet.contract}\n`);
});
