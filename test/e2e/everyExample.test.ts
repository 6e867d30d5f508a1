import { afterAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { createExampleSender, EXAMPLE_SETTINGS, readExamples } from "@dueday/api/test/createExampleSender";
import { demoArguments } from "@dueday/devnet/demoArguments";
import { demo } from "@dueday/devnet/scenarios/demo";
import { createCleanUp } from "@dueday/local/createCleanUp";
import { startDemoNames } from "@dueday/local/startDemoNames";
import { startStack } from "@dueday/local/startStack";
import { waitUntil } from "@dueday/test-support/waitUntil";
import Ajv2020 from "ajv/dist/2020";

const cleanUp = createCleanUp();
afterAll(() => cleanUp.run());

const names = await startDemoNames();
cleanUp.add(() => names.stop());
/** Takes the events of webhooks: the worker would send them to the URL of the examples. */
const receiver = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
cleanUp.add(() => receiver.stop(true));
const { service, devnet } = await startStack({
  env: { ...EXAMPLE_SETTINGS, PORT: "0", DEVNET_PORT: "0", DNS_SERVERS: names.address },
  scenario: demo,
  folder: "dueday-examples-",
  findExamples: demoArguments,
  write: () => {},
  cleanUp,
  onFatal(error) {
    throw error;
  },
});
await waitUntil("the worker to have indexed every event", async () => {
  const { body } = await callApi(service, "/status");
  return Object(body.checks).chains[0].eventIndex?.behindBlocks === 0;
});
const examples = await readExamples(service);
const send = await createExampleSender({
  api: service,
  database: service.database,
  devnet,
  webhookUrl: `http://127.0.0.1:${receiver.port}/hook`,
});
const ajv = new Ajv2020({ strict: false, validateFormats: false });

describe("the example of each operation, sent to a chain with API and worker, gives the answer that the document has for it", () => {
  test.each(examples.map((example) => [example.name, example] as const))("%s", async (_name, example) => {
    const [success = ""] = Object.keys(example.responses).filter((status) => status.startsWith("2"));
    const { status, text, body } = await send(example);
    expect([status, status < 300 ? "" : text]).toEqual([Number(success), ""]);
    const media = example.responses[success]?.content?.["application/json"];
    // A calendar is a file.
    if (media === undefined) return;
    ajv.validate(media.schema, body);
    expect(ajv.errors).toBeNull();
    const shown = media.examples?.demo.value;
    expect(shown).toBeDefined();
    ajv.validate(media.schema, shown);
    expect(ajv.errors).toBeNull();
    expect(otherTypes(body, shown)).toEqual([]);
  });
});

/** Paths at which both have something, of another type. Any entry of a list stands for all of them, and null for anything. */
function otherTypes(answer: unknown, shown: unknown, path = ""): string[] {
  const types = [typeOf(answer), typeOf(shown)];
  if (types.includes("null")) return [];
  if (types[0] !== types[1]) return [`${path}: ${types[0]} instead of ${types[1]}`];
  if (Array.isArray(answer)) {
    const [one, other] = [answer[0], Object(shown)[0]];
    return one === undefined || other === undefined ? [] : otherTypes(one, other, `${path}[]`);
  }
  if (types[0] !== "object") return [];
  return Object.entries(Object(answer)).flatMap(([key, value]) =>
    key in Object(shown) ? otherTypes(value, Object(shown)[key], `${path}.${key}`) : [],
  );
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
