#!/usr/bin/env node
import { once } from "node:events";
import { parseArgs } from "node:util";
import type { Scenario } from "./facts";
import { type StartOptions, startDueday } from "./startDueday";

const HELP = `Starts a private chain with the Dueday service on it, prints where everything is, and runs until standard input closes.

  npx @dueday/testkit [--json] [--scenario demo|empty] [--block-time-ms N] [--set NAME=VALUE]...

  --json             print one line of JSON (default: the same, indented)
  --scenario NAME    demo (default): plans and subscribers with a backlog of seven days; empty: the protocol and two tokens
  --block-time-ms N  a block every N milliseconds, such as 200 as on Base (default: one for each transaction)
  --set NAME=VALUE   a setting of the service, such as PORT=3000 or DEVNET_PORT=8545 (default: free ports)
`;

try {
  const { values } = parseArgs({
    options: {
      json: { type: "boolean", default: false },
      scenario: { type: "string" },
      "block-time-ms": { type: "string" },
      set: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) process.stdout.write(HELP);
  else {
    const blockTime = values["block-time-ms"];
    await run(values.json, {
      settings: settingsOf(values.set),
      scenario: values.scenario,
      blockTimeMs: blockTime === undefined ? undefined : Number(blockTime),
    });
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function run(
  isJson: boolean,
  options: Pick<StartOptions, "settings" | "blockTimeMs"> & { scenario: string | undefined },
) {
  // The service refuses a name that it does not know.
  const dueday = await startDueday({ ...options, scenario: options.scenario as Scenario | undefined });
  const { url, rpcUrl, chainId, contract, tokens, wallets, subscriptions } = dueday;
  const facts = { url, rpcUrl, chainId, contract, tokens, wallets, subscriptions };
  process.stdout.write(`${isJson ? JSON.stringify(facts) : JSON.stringify(facts, null, 2)}\n`);
  const signals = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => once(process, signal));
  await Promise.race([once(process.stdin.resume(), "end"), ...signals]);
  await dueday.stop();
  process.stdin.destroy();
}

function settingsOf(assignments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const at = assignment.indexOf("=");
      if (at <= 0) throw new Error(`--set ${assignment}: write NAME=VALUE, such as PORT=3000`);
      return [assignment.slice(0, at), assignment.slice(at + 1)];
    }),
  );
}
