import { parseConfig } from "@dueday/config/parseConfig";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { runUntilSignal } from "./runUntilSignal";

/**
 * A devnet alone, on PORT, for processes of the service that are started beside it. It may run for a day. With a block every 2 s, state
 * can be read at the blocks of the last 50 minutes; with one every 200 ms, at those of the last 5.
 */
await runUntilSignal(async (cleanUp) => {
  const { port } = parseConfig(process.env);
  const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000), port, blockTimeMs: 2_000 });
  cleanUp.add(() => devnet.stop());
  process.stderr.write(`devnet on ${devnet.url}, contract ${devnet.contract}\n`);
});
