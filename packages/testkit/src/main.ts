import { demo } from "@dueday/devnet/scenarios/demo";
import type { DevnetScenario } from "@dueday/devnet/scenarios/devnetScenario";
import { empty } from "@dueday/devnet/scenarios/empty";
import { runUntilSignal } from "@dueday/local/runUntilSignal";
import { stackFacts } from "@dueday/local/stackFacts";
import { startStack } from "@dueday/local/startStack";
import type { Scenario } from "./facts";

const scenarios: Record<Scenario, DevnetScenario> = { demo, empty };

/** The program that `startDueday` runs: a stack that prints its facts, and ends when its standard input does. */
await runUntilSignal(async (cleanUp, onFatal) => {
  const [name = ""] = process.argv.slice(2);
  if (!isScenario(name)) {
    throw new Error(`"${name}" is not a scenario: choose one of ${Object.keys(scenarios).join(", ")}`);
  }
  const stack = await startStack({
    env: process.env,
    scenario: scenarios[name],
    folder: "dueday-testkit-",
    write: (line) => void process.stderr.write(line),
    cleanUp,
    onFatal,
  });
  process.stdout.write(`${JSON.stringify(await stackFacts(stack))}\n`);
}, process.stdin);

function isScenario(name: string): name is Scenario {
  return Object.hasOwn(scenarios, name);
}
