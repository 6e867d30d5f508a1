import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { hasProperty, summarize, summarizeSchema } from "./summarize";

const schema = Type.Object({
  plan: Type.Object({
    end: Type.String(),
    transactions: Type.Array(Type.Object({ index: Type.Integer(), gas: Type.String() })),
  }),
  details: Type.Optional(Type.Object({ text: Type.String(), truncated: Type.Optional(Type.Boolean()) })),
  asOf: Type.Object({ blockNumber: Type.String(), blockHash: Type.String(), computedAt: Type.String() }),
});
const answer = {
  plan: {
    end: "caught_up",
    transactions: [
      { index: 0, gas: "21000" },
      { index: 1, gas: "22000" },
    ],
  },
  details: { text: `${"x".repeat(299)}😀 and more` },
  asOf: { blockNumber: "7", blockHash: "0xab", computedAt: "2026-01-01T00:00:00.000Z" },
};
const summarized = { omits: ["plan.transactions.gas"], shortens: ["details.text"] };

test("a summary omits the named properties inside every item of a list, and the block's hash and time of computation", () => {
  expect(summarize(answer, summarized)).toMatchObject({
    plan: { end: "caught_up", transactions: [{ index: 0 }, { index: 1 }] },
    asOf: { blockNumber: "7" },
  });
  expect(JSON.stringify(summarize(answer, summarized))).not.toMatch(/gas|blockHash|computedAt/);
});

test("a text that is cut is marked as truncated and stays well-formed; a short one is unchanged", () => {
  const { details } = Object(summarize(answer, summarized));
  expect([details.text.length, details.text.isWellFormed(), details.truncated]).toEqual([300, true, true]);
  const short = { ...answer, details: { text: "short" } };
  expect(Object(summarize(short, summarized)).details).toEqual({ text: "short" });
});

test("the summary and the full answer both fit the schema of the summary", () => {
  const summary = summarizeSchema(schema, summarized);
  expect([...Value.Errors(summary, summarize(answer, summarized))]).toEqual([]);
  expect([...Value.Errors(summary, answer)]).toEqual([]);
  expect(Value.Check(schema, summarize(answer, summarized))).toBe(false);
});

test("a path that leads to no property of the answer is found", () => {
  expect(hasProperty(schema, "plan.transactions.gas")).toBe(true);
  for (const path of ["plan.transactions.gasUsed", "plan.gas", "gas", ""])
    expect(hasProperty(schema, path)).toBe(false);
});
