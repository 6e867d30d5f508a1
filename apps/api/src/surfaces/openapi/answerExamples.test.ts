import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { createExampleSender, EXAMPLE_SETTINGS, readExamples } from "@dueday/api/test/createExampleSender";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { compileSchema } from "../../operation/compileSchema";
import type { Operation } from "../../operation/defineOperation";
import { operations } from "../../operations/operations";
import { answerExamples } from "./answerExamples";
import { camelCase } from "./camelCase";

/** Those that make their example from the service's settings have none here. */
const recorded = operations.filter(({ exampleAnswer }: Operation) => exampleAnswer === undefined);

/** The examples that are checked: the stored ones, or those that this run has written. */
const examples: Record<string, unknown> = { ...answerExamples };

const FILE = join(import.meta.dir, "answerExamples.json");

/** The whole answer, with two entries of each list. */
const QUERIED = { detail: "full", first: "2" };

if (process.env.UPDATE_EXAMPLES === "1")
  test("every example is written again from the demo chain", async () => {
    const { api, database, devnet, stop } = await startDemoApi(EXAMPLE_SETTINGS);
    afterAll(stop);
    const requests = new Map((await readExamples(api)).map((example) => [example.operationId, example]));
    const send = await createExampleSender({ api, database: database.database, devnet });
    for (const { name } of recorded) {
      const example = requests.get(camelCase(name));
      if (example === undefined) throw new Error(`${name} is not in the document`);
      const { status, text } = await send(example, queriedOf(example.parameters));
      expect([name, status < 300, text]).toEqual([name, true, text]);
      const answer = JSON.parse(withoutSecrets(text));
      if (lasting(answer) !== lasting(examples[name])) examples[name] = answer;
    }
    const written = recorded.map(({ name }) => [name, examples[name]]);
    await Bun.write(FILE, JSON.stringify(Object.fromEntries(written), null, 2));
    const format = [process.execPath, "x", "biome", "format", "--write", FILE];
    expect(await Bun.spawn(format, { stdio: ["ignore", "ignore", "inherit"] }).exited).toBe(0);
  }, 60_000);

function queriedOf(parameters: readonly { name: string }[]): Record<string, string> {
  return Object.fromEntries(Object.entries(QUERIED).filter(([key]) => parameters.some(({ name }) => name === key)));
}

/** An answer without the texts that give access, which look like leaked ones wherever they are found. */
function withoutSecrets(text: string): string {
  return text
    .replace(/dueday_[0-9A-Za-z]{46}/g, `dueday_${"0".repeat(46)}`)
    .replace(/whsec_[A-Za-z0-9+/]+=*/g, `whsec_${Buffer.from("example".repeat(4)).toString("base64")}`);
}

/**
 * An answer without what differs in each run: random ids, nonces and keys, and times of this machine, which have milliseconds; those of blocks
 * do not.
 */
function lasting(answer: unknown): string {
  return JSON.stringify(answer ?? null).replace(
    /[\da-f]{8}-[\da-f-]{27}|\d{4}-\d\d-\d\dT[\d:]{8}\.(?!000)\d{3}Z|evt_[\da-f]{32}|dueday_\w+|Nonce: \w+/g,
    "",
  );
}

test.each(recorded.map((operation) => [operation.name, operation] as const))(
  "%s has an example of its answer that fits its schema (after a change: UPDATE_EXAMPLES=1 bun test of this file)",
  (name, operation) => {
    expect([...compileSchema(operation.output).Errors(examples[name])].map(({ path }) => path)).toEqual([]);
  },
);
