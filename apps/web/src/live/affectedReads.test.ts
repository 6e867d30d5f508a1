import { expect, test } from "bun:test";
import { join } from "node:path";
import { operations } from "@dueday/api/operations/operations";
import { camelCase } from "@dueday/api/surfaces/openapi/camelCase";
import { eventTypes } from "@dueday/core/domainEvents/domainEvent";
import { affectedReads } from "./affectedReads";
import { EXPENSIVE } from "./createRenewal";

const operationOf = (name: string) => operations.find((each) => camelCase(each.name) === name);
const renewed = new Set<string>(eventTypes.flatMap(affectedReads));
/** The protocol approves and pauses tokens without a log, so no event reports it. */
const WITHOUT_EVENT = ["listApprovedTokens"];

test("every answer about the chain that a page shows is renewed by some event", async () => {
  const hooks = await Bun.file(join(import.meta.dir, "../../../../packages/sdk/src/react/useDuedayQuery.ts")).text();
  const byHook = new Map(
    Array.from(hooks.matchAll(/const (use\w+) = named\("(\w+)"\)/g), ([, hook, name]) => [hook, name]),
  );
  const shown = new Set<string>();
  for await (const path of new Bun.Glob("**/*.{ts,tsx}").scan(join(import.meta.dir, ".."))) {
    const text = await Bun.file(join(import.meta.dir, "..", path)).text();
    for (const [, query, pages] of text.matchAll(/useDuedayQuery\(\s*"(\w+)"|\bname: "(\w+)",\n +input:/g))
      shown.add(query ?? pages ?? "");
    for (const [, hook] of text.matchAll(/\b(use\w+)\(/g)) shown.add(byHook.get(hook) ?? "");
  }
  expect([...shown]).toEqual(expect.arrayContaining(["listPayments", "getAccountHealth", "getSubscriptionsDue"]));
  const reads = [...shown].filter((name) => {
    const operation = operationOf(name);
    return operation?.chainScoped === true && operation.http.method === "GET";
  });
  expect(reads.filter((name) => !renewed.has(name) && !WITHOUT_EVENT.includes(name))).toEqual([]);
});

test("a cancelled plan changes the figures of its seller's business", () => {
  expect(affectedReads("subscription.cancelled")).toContain("getProviderMetrics");
});

test("answers of the expensive buckets, and no others, are renewed at the pace of the free lane", () => {
  const isExpensive = (name: string) => ["expensive", "history"].includes(operationOf(name)?.bucket ?? "");
  const paced: ReadonlySet<string> = EXPENSIVE;
  expect([...renewed].filter((name) => paced.has(name) !== isExpensive(name))).toEqual([]);
});
