import { afterAll, expect, test } from "bun:test";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { findProviderRecord } from "@dueday/worker/domains/findProviderRecord";
import { startDemoNames } from "./startDemoNames";

const names = await startDemoNames();
afterAll(() => names.stop());

const { signal } = new AbortController();
const find = (domain: string, place: number) => {
  const { address } = testAccount(ACCOUNT_INDEX.firstProvider + place);
  return findProviderRecord({ domain, record: `provider=eip155:31337:${address}`, servers: [names.address], signal });
};

test("the demo's name server verifies the domain of its first seller, and no other", async () => {
  expect(await find("northlight.example", 0)).toBe(true);
  expect(await find("northlight.example", 1)).toBe(false);
  expect(await find("tidewater.example", 1)).toBe(false);
});
