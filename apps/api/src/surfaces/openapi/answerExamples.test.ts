import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { connectMcp } from "@dueday/api/test/connectMcp";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { compileSchema } from "../../operation/compileSchema";
import type { Operation } from "../../operation/defineOperation";
import { operations } from "../../operations/operations";
import { answerExamples } from "./answerExamples";

const offered = operations.filter(({ toolsets }: Operation) => toolsets?.length !== 0);

/** Entries of an example's lists. */
const FIRST = 2;

if (process.env.UPDATE_EXAMPLES === "1")
  test("every example is written again from the demo chain", async () => {
    const { api, argumentsOf, stop } = await startDemoApi();
    afterAll(stop);
    const mcp = await connectMcp(api);
    const written: Record<string, unknown> = {};
    for (const operation of offered) {
      const { detail, first } = operation.input.properties as Operation["input"]["properties"];
      const given = {
        ...operation.example,
        ...argumentsOf(operation),
        ...(detail === undefined ? {} : { detail: "full" }),
        ...(first === undefined ? {} : { first: FIRST }),
      };
      const { isError, body: answer, text } = await mcp.call(operation.name, given);
      expect([operation.name, isError, text]).toEqual([operation.name, false, text]);
      const stored = answerExamples[operation.name];
      written[operation.name] = lasting(answer) === lasting(stored) ? stored : answer;
    }
    await mcp.close();
    await Bun.write(join(import.meta.dir, "answerExamples.json"), `${JSON.stringify(written, null, 2)}\n`);
  }, 60_000);

/** An answer without what differs in each run: random ids, and times of this machine, which have milliseconds; those of blocks do not. */
function lasting(answer: unknown): string {
  return JSON.stringify(answer ?? null).replace(
    /"(?:[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d-\d\dT[\d:]{8}\.(?!000)\d{3}Z)"/g,
    '""',
  );
}

test.each(offered.map((operation) => [operation.name, operation] as const))(
  "%s has an example of its answer that fits its schema (after a change: UPDATE_EXAMPLES=1 bun test of this file)",
  (name, operation) => {
    expect([...compileSchema(operation.output).Errors(answerExamples[name])].map(({ path }) => path)).toEqual([]);
  },
);
