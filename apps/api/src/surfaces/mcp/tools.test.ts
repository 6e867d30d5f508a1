import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connectMcp, type McpSession } from "@dueday/api/test/connectMcp";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { operations } from "../../operations/operations";
import { createTools, type Tool } from "./tool";

const tools = createTools(operations);
const { api, argumentsOf, developer, keepAgain, stop } = await startDemoApi();
let mcp: McpSession;
let listed: Awaited<ReturnType<McpSession["client"]["listTools"]>>["tools"];

beforeAll(async () => {
  mcp = await connectMcp(api, { headers: developer });
  listed = (await mcp.client.listTools()).tools;
});
afterAll(async () => {
  await mcp.close();
  await stop();
});

describe("the SDK's own client", () => {
  test("is shown every tool with title, description, schemas and hints", () => {
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    for (const { name, title, description, inputSchema, outputSchema, annotations } of listed) {
      expect([name, title?.length, description?.length]).not.toContain(0);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      const { answersLike } = tools.find((tool) => tool.name === name) ?? {};
      expect([name, outputSchema?.type]).toEqual([name, answersLike === undefined ? "object" : undefined]);
      if (answersLike !== undefined) expect(description).toContain(answersLike);
      // Preparing changes nothing either: only the caller signs.
      expect([name, annotations?.readOnlyHint]).toEqual([name, !["keep_permit", "withdraw_permit"].includes(name)]);
    }
  });

  test("finds the tools that the interface names", () => {
    const names = new Set(tools.map(({ name }) => name));
    for (const name of INTERFACE_NAMES) expect(names).toContain(name);
    for (const { http } of operations.filter(({ http }) => http.path.startsWith("/prepare/")))
      expect(names).toContain(http.path.slice(1).replace("/", "_"));
  });

  test("finds every operation but keys, the portal, webhooks and four more", () => {
    const names = new Set(tools.map(({ name }) => name));
    const left = operations.filter(
      ({ name, http: { path } }) => !names.has(name) && !/^\/(developer|portal|webhooks)\//.test(`${path}/`),
    );
    // Each with its reason in operations/README.md.
    expect(left.map(({ name }) => name)).toEqual([
      "get_root",
      "get_catalog",
      "confirm_reminders",
      "unsubscribe_reminders",
    ]);
  });

  test.each(tools.map((tool) => [tool.name, tool] as const))(
    "%s answers on the demo chain, in the form of its schema, and in text with the same",
    async (_, tool) => {
      const { isError, body, text } = await callOnDemo(tool);
      expect([isError, text]).toEqual([false, text]);
      expect(JSON.parse(text)).toEqual(body);
    },
  );
});

test("descriptions and instructions contain no words of HTTP", () => {
  const words =
    /\b(?:HTTP|GET|POST|DELETE|PATCH|REST|route|header|query string|request body|If-None-Match|ETag|[45]\d\d)\b/;
  for (const { name, description } of listed) expect([name, description?.match(words)?.[0]]).toEqual([name, undefined]);
  expect(mcp.client.getInstructions()).not.toMatch(words);
});

test("every argument has a description, and every number its bounds", () => {
  const faults = (name: string, schema: Record<string, unknown>): string[] => {
    const { type, description, minimum, maximum, enum: values, properties } = schema;
    const isNumber = [type].flat().some((each) => each === "integer" || each === "number");
    const isBounded = !isNumber || values !== undefined || (typeof minimum === "number" && typeof maximum === "number");
    const inside = Object.entries(Object(properties) as Record<string, Record<string, unknown>>); // a JSON Schema's
    return [
      ...(typeof description === "string" && description !== "" ? [] : [`${name} has no description`]),
      ...(isBounded ? [] : [`${name} has no bounds`]),
      ...inside.flatMap(([key, each]) => faults(`${name}.${key}`, each)),
    ];
  };
  const found = listed.flatMap(({ name, inputSchema }) =>
    Object.entries(inputSchema.properties ?? {}).flatMap(([key, each]) => faults(`${name} ${key}`, Object(each))),
  );
  expect(found).toEqual([]);
});

test("no tool requires an argument that has a default", () => {
  for (const { name, inputSchema } of listed) {
    const { properties = {} } = tools.find((tool) => tool.name === name)?.input ?? {};
    expect([name, inputSchema.required?.filter((key) => properties[key]?.default !== undefined) ?? []]).toEqual([
      name,
      [],
    ]);
  }
});

test("an account is account in every tool, and address is accepted in its place as before", async () => {
  for (const { name, inputSchema } of listed)
    expect([name, Object.keys(inputSchema.properties ?? {}).includes("address")]).toEqual([name, false]);
  const { account } = argumentsOf({ name: "get_account", input: { properties: { account: {} } } });
  const [now, before] = await Promise.all([
    mcp.call("get_account", { account }),
    mcp.call("get_account", { address: account }),
  ]);
  expect(now.isError).toBe(false);
  expect({ ...before.body, asOf: null }).toEqual({ ...now.body, asOf: null });
  const wrong = await mcp.call("get_account", { account: "0x12" });
  expect(Object(wrong.body.issues)[0]).toMatchObject({ path: "account" });
});

test("frequency is named wherever it is an argument", () => {
  const described = listed.flatMap(({ inputSchema }) => Object(inputSchema.properties?.frequency).description ?? []);
  expect(new Set(described)).toEqual(new Set(["0 WEEKLY, 1 MONTHLY, 2 QUARTERLY, 3 YEARLY"]));
});

test("the forecast has an account's outlook once", async () => {
  const { account } = argumentsOf({ name: "get_remit_forecast", input: { properties: { account: {} } } });
  const { body } = await mcp.call("get_remit_forecast", { account });
  expect([Object(body.outlook).account, body.account]).toEqual([account, undefined]);
});

/** What a summary keeps at most of an answer that is longer than 4 KB. */
const LONG_SHARE = 0.95;

test("a tool whose full answer passes 4 KB takes detail, and its summary is the smaller one", async () => {
  for (const tool of tools) {
    const hasDetail = "detail" in tool.input.properties;
    const full = await callOnDemo(tool, hasDetail ? { detail: "full" } : {});
    expect([tool.name, full.isError, hasDetail || full.text.length <= 4096]).toEqual([tool.name, false, true]);
    if (!hasDetail) continue;
    const summary = await callOnDemo(tool);
    const share = summary.text.length / full.text.length;
    expect([tool.name, share < (full.text.length > 4096 ? LONG_SHARE : 1)]).toEqual([tool.name, true]);
  }
});

test.each(tools.filter(({ answersLike }) => answersLike === undefined).map((tool) => [tool.name, tool] as const))(
  "the output schema of %s refuses any value of another type",
  async (name, tool) => {
    const schema = listed.find((each) => each.name === name)?.outputSchema;
    const { body } = await callOnDemo(tool);
    const isValid = new AjvJsonSchemaValidator().getValidator(JSON.parse(JSON.stringify(schema)));
    expect(isValid(body).valid).toBe(true);
    for (const spoiled of spoilEach(body)) {
      const found = isValid(spoiled.value).valid;
      expect([spoiled.path, found]).toEqual([spoiled.path, false]);
    }
    for (const key of schema?.required ?? []) {
      const { [key]: _, ...others } = body;
      expect([key, isValid(others).valid]).toEqual([key, false]);
    }
  },
);

test("a description names the fields that hold text by strangers", () => {
  expect(listed.find(({ name }) => name === "get_names")?.description).toEndWith("Untrusted text: planName, name");
  const details = listed.find(({ name }) => name === "get_subscription_details");
  expect(details?.description).toEndWith("Untrusted text: url, description");
  expect(listed.find(({ name }) => name === "get_protocol_state")?.description).not.toContain("Untrusted");
});

describe("an address with ?toolsets=", () => {
  test("offers those sets alone: an operation in none of them is not a tool there", async () => {
    const keeper = await connectMcp(api, { query: "?toolsets=keeper" });
    const names = (await keeper.client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["list_chains", "check_remit_readiness", "prepare_remit"]));
    expect(names).not.toContain("prepare_subscribe");
    await expect(keeper.call("prepare_subscribe", {})).rejects.toThrow("Unknown tool");
    await keeper.close();
  });

  test("takes several, and omits output schemas with ?schemas=input", async () => {
    const some = await connectMcp(api, { query: "?toolsets=history,subscriber&schemas=input" });
    const { tools: offered } = await some.client.listTools();
    expect(offered.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["get_account_activity", "prepare_unsubscribe_by_id"]),
    );
    expect(offered.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
    await some.close();
  });

  test("refuses what it does not know", async () => {
    await expect(connectMcp(api, { query: "?toolsets=everything" })).rejects.toThrow("UNKNOWN_TOOLSET");
    await expect(connectMcp(api, { query: "?toolset=keeper" })).rejects.toThrow("UNKNOWN_KEY");
    await expect(connectMcp(api, { query: "?schemas=none" })).rejects.toThrow("MALFORMED");
  });
});

const INTERFACE_NAMES = [
  "check_subscribe_readiness",
  "check_subscribe_readiness_by_id",
  "prepare_subscribe_by_id",
  "prepare_remit",
  "check_remit_readiness",
  "get_subscriptions_due",
  "get_transaction_status",
  "list_chains",
];

function exampleOf(name: string): Readonly<Record<string, unknown>> {
  const { address, ...example } = operations.find((operation) => operation.name === name)?.example ?? {};
  return address === undefined ? example : { ...example, account: address };
}

/** Calls a tool with arguments that the demo chain can answer. The permit that one of them withdraws is kept again before. */
async function callOnDemo(tool: Tool, more: Record<string, unknown> = {}) {
  await keepAgain();
  return mcp.call(tool.name, { ...exampleOf(tool.name), ...argumentsOf(tool), ...more });
}

/** Copies of a value in which one leaf or one part is of another type. */
function* spoilEach(value: unknown, path = ""): Generator<{ path: string; value: unknown }> {
  if (path !== "") yield { path, value: Array.isArray(value) ? "text" : [[]] };
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    for (const spoiled of spoilEach(part, `${path}/${key}`)) {
      const copy = Array.isArray(value)
        ? Object.assign([...value], { [key]: spoiled.value })
        : { ...value, [key]: spoiled.value };
      yield { path: spoiled.path, value: copy };
    }
  }
}
