import { parseArgs } from "node:util";
import { demoArguments } from "@dueday/devnet/demoArguments";
import { demo } from "@dueday/devnet/scenarios/demo";
import { buildApp } from "@dueday/web/tools/buildApp";
import { keepMining } from "./keepMining";
import { readPort } from "./readPort";
import { requireFreePort } from "./requireFreePort";
import { runUntilSignal } from "./runUntilSignal";
import { stackFacts } from "./stackFacts";
import { startDemoMail } from "./startDemoMail";
import { startDemoNames } from "./startDemoNames";
import { startDemoShop } from "./startDemoShop";
import { startStack } from "./startStack";
import { welcome } from "./welcome";

const SHOP_PORT = 8790;
const MAILBOX_PORT = 8791;

await runUntilSignal(async (cleanUp, onFatal) => {
  const isJson = readOptions();
  const shopPort = readPort(process.env, "SHOP_PORT", process.env.PORT === "0" ? 0 : SHOP_PORT);
  await requireFreePort("127.0.0.1", shopPort, "SHOP_PORT");
  const mailboxPort = readPort(process.env, "MAILBOX_PORT", process.env.PORT === "0" ? 0 : MAILBOX_PORT);
  await requireFreePort("127.0.0.1", mailboxPort, "MAILBOX_PORT");
  const names = await startDemoNames();
  cleanUp.add(() => names.stop());
  const mail = await startDemoMail(mailboxPort);
  cleanUp.add(() => mail.stop());
  const stack = await startStack({
    env: { DNS_SERVERS: names.address, ...process.env },
    scenario: demo,
    folder: "dueday-demo-",
    buildApp,
    findExamples: demoArguments,
    smtpUrl: mail.smtpUrl,
    write: (line) => void process.stderr.write(line),
    cleanUp,
    onFatal,
  });
  cleanUp.add(keepMining(stack.devnet, onFatal));
  const facts = await stackFacts(stack);
  const shop = stack.hasApp ? await startDemoShop(facts, shopPort) : null;
  if (shop !== null) cleanUp.add(() => shop.stop());
  process.stdout.write(
    isJson
      ? `${JSON.stringify(facts)}\n`
      : welcome({
          facts,
          plan: stack.plan,
          web: stack.hasApp,
          shopUrl: shop?.url ?? null,
          mailboxUrl: mail.url,
          seconds: performance.now() / 1000,
        }),
  );
});

/** Whether the facts are printed as JSON. @throws Error for another option */
function readOptions(): boolean {
  try {
    return parseArgs({ options: { json: { type: "boolean", default: false } } }).values.json;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${reason}: the only option is --json. PORT, DEVNET_PORT, SHOP_PORT and MAILBOX_PORT in the environment choose ports`,
    );
  }
}
