import { expect, test } from "bun:test";
import { MONDAY, remitState, WHOLE } from "@dueday/core/test/remitState";
import { walkCoverage } from "./walkCoverage";

test("what a call of remit() takes before it reverts does not count as paid", async () => {
  // The list of 0x1 has outgrown its set, so remit() reverts when it comes to it, after 0x2 was charged.
  const state = remitState(
    [
      { id: "0x1", frequency: 0, subscribers: ["0xa"], unsubscribed: ["0xb", "0xc"] },
      { id: "0x2", frequency: 0, subscribers: ["0xd"] },
    ],
    { token: { holdings: new Map([["0xd", { balance: 15n * WHOLE, allowance: 15n * WHOLE }]]) } },
  );
  const walk = await walkCoverage(state);
  expect(walk.coverageOf("0x2", "0xd")).toMatchObject({
    coveredPayments: 1,
    failsDay: MONDAY + 7,
    balanceCovers: true,
  });
});
