import { afterAll, expect, test } from "bun:test";
import {
  HOSTILE_NOW,
  hostileTokens,
  type Misbehaviour,
  misbehave,
  misbehaviours,
} from "@dueday/chain/test/hostileTokens";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { testDepth } from "@dueday/test-support/testDepth";
import { startProcess } from "./startProcess";

// A keeper beside tokens that go wrong: it settles the days before, wastes no transaction, and names what stops it.

const TODAY = dayNumber(HOSTILE_NOW);
const BLOCKED = 3;

const devnets = {
  wrong: await startDevnet({ scenario: hostileTokens("wrong"), now: HOSTILE_NOW }),
  lying: await startDevnet({ scenario: hostileTokens("lying"), now: HOSTILE_NOW }),
};
afterAll(async () => {
  for (const devnet of Object.values(devnets)) await devnet.stop();
});

/** Numbers of the protocol as a token's reason are all treated alike, but for "6", which ends a plan. */
const REASONS = ["6", "10"];
/** To a keeper each looks like one of the others. What the plan is beside them is tested for all. */
const ALIKE = [
  "uses up its gas at once",
  "returns false",
  "behaves, but for its symbol and name",
  "shows plenty to all but the protocol",
  "shows nothing where much gas is left",
];
/** All of them in `bun run test:deep`. */
const cases = misbehaviours.filter(
  ({ name, reason }) => testDepth > 1 || (!ALIKE.includes(name) && (reason === undefined || REASONS.includes(reason))),
);
/** What the others do lets the keeper settle everything. */
const stops =
  /^(?:uses up|loops|returns|calls|reverts|rebases|refuses transfers|refuses the transactions|shows plenty to everybody)/;

const turns = { wrong: Promise.resolve(), lying: Promise.resolve() };

/** Both chains at the same time, one case after the other on each. */
function inTurn({ kind }: Misbehaviour, run: () => Promise<void>): Promise<void> {
  const result = turns[kind].then(run);
  turns[kind] = result.catch(() => {});
  return result;
}

test.concurrent.each(cases.map((each) => [each.name, each] as const))("a token that %s", (_, misbehaviour) =>
  inTurn(misbehaviour, () => settleBeside(misbehaviour)),
);

async function settleBeside(misbehaviour: Misbehaviour): Promise<void> {
  const { name, kind } = misbehaviour;
  const { client, contract, keeper, tokens, url } = devnets[kind];
  const snapshot = await client.snapshot();
  try {
    await misbehave(devnets[kind], misbehaviour);
    const before = await client.getTransactionCount({ address: keeper.address });
    const args = ["--direct", "--rpc", url, "--contract", contract, "--once", "--jitter", "0"];
    const process = await startProcess("apps/keeper/src/main.ts", {
      args,
      env: { KEEPER_PRIVATE_KEY: keeper.privateKey },
    });
    try {
      const code = await process.exited();
      const output = await process.output();
      const sent = (await client.getTransactionCount({ address: keeper.address })) - before;
      const day = await client.readContract({ address: contract, abi: protocolAbi, functionName: "nextUncheckedDay" });
      if (stops.test(name)) {
        expect({ code, sent, day }).toEqual({ code: BLOCKED, sent: 2, day: TODAY - 2 });
        expect(output).toContain(tokens[1] ?? "no token");
      } else expect({ code, sent, day }).toEqual({ code: 0, sent: 4, day: TODAY });
    } finally {
      await process.dispose();
    }
  } finally {
    await client.revert({ id: snapshot });
  }
}
