import { expect, test } from "bun:test";
import { healthPage } from "./healthPage";

test("a keeper that has never reached the nodes of a chain is down after a while", async () => {
  let now = 0;
  const clock = { elapsed: () => now, wall: () => now, random: () => 0, sleep: async () => {} };
  const health = healthPage({ statuses: () => new Map(), chainCount: 1, clock, staleAfterMs: 1_000 });
  expect(health().status).toBe(200);
  now = 1_001;
  expect(health().status).toBe(503);
  expect(await health().json()).toEqual({ status: "down", chains: [] });
});
