import { parseArgs } from "node:util";
import { demo } from "@dueday/devnet/scenarios/demo";
import { demoArguments } from "@dueday/devnet/scenarios/demoArguments";
import { buildApp } from "@dueday/web/tools/buildApp";
import { keepMining } from "./keepMining";
import { runUntilSignal } from "./runUntilSignal";
import { stackFacts } from "./stackFacts";
import { startStack } from "./startStack";
import { welcome } from "./welcome";

await runUntilSignal(async (cleanUp, onFatal) => {
  const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
  const stack = await startStack({
    ...{ env: process.env, scenario: demo, folder: "dueday-demo-", buildApp, findExamples: demoArguments },
    ...{ write: (line) => void process.stderr.write(line), cleanUp, onFatal },
  });
  cleanUp.add(keepMining(stack.devnet, onFatal));
  const facts = await stackFacts(stack);
  process.stdout.write(
    values.json
      ? `${JSON.stringify(facts)}\n`
      : welcome({ facts, plan: stack.plan, web: stack.hasApp, seconds: performance.now() / 1000 }),
  );
});
