import { afterAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { comparable } from "@dueday/api/test/comparable";
import { connectMcp } from "@dueday/api/test/connectMcp";
import { restDefaults } from "@dueday/api/test/restDefaults";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { hasBody, type Operation, placeOf } from "../../operation/defineOperation";
import { operations } from "../../operations/operations";

const offered = operations.filter(({ toolsets }) => toolsets?.length !== 0);
const { api, argumentsOf, developer, keepAgain, stop } = await startDemoApi();
const mcp = await connectMcp(api);
const free = { mcp, headers: {} };
const ofDeveloper = { mcp: await connectMcp(api, { headers: developer }), headers: developer };
type Lane = typeof free | typeof ofDeveloper;

afterAll(async () => {
  await Promise.all([mcp.close(), ofDeveloper.mcp.close()]);
  await stop();
});

type Input = Record<string, unknown>;

test.each(offered.map((operation) => [operation.name, operation] as const))(
  "%s gives the same result or the same error over REST and MCP",
  async (_, operation) => {
    const real = { ...operation.example, ...argumentsOf(operation) };
    const summaries = "detail" in operation.input.properties ? [{ ...real, detail: "summary" }] : [];
    const lanes = operation.errors.includes("LANE_REQUIRED") ? [free, ofDeveloper] : [free];
    for (const lane of lanes)
      for (const given of [real, operation.example, ...summaries, ...spoil(operation, real)]) {
        const input = { ...restDefaults(operation), ...given };
        await keepAgain();
        const overRest = await askRest(lane, operation, input);
        await keepAgain();
        expect({ input, ...(await askMcp(lane, operation, input)) }).toEqual({ input, ...overRest });
      }
  },
);

test("the chain of a call is checked the same way over REST and MCP", async () => {
  for (const chainId of ["eip155:31337", "31337"]) {
    const rest = await callApi(api, `/protocol/state?chainId=${chainId}`);
    const { body } = await mcp.call("get_protocol_state", { chainId });
    expect(comparable(body)).toEqual(comparable(rest.body));
  }
  for (const chainId of ["1", "0x7a69", "EIP155:31337", "eip155:", "031337", "-1", ""]) {
    const rest = await callApi(api, `/protocol/state?chainId=${chainId}`);
    const { isError, body } = await mcp.call("get_protocol_state", { chainId });
    expect([chainId, isError, body.code]).toEqual([chainId, true, rest.body.code]);
    expect(codesOf(body)).toEqual(codesOf(rest.body));
  }
});

/** Inputs that do not fit: a key too many, each required one missing, each of another type, each as text that means nothing. */
function spoil({ input }: Operation, real: Input): Input[] {
  const required: string[] = input.required ?? [];
  const keys = Object.keys(input.properties);
  // Without it there is no path for REST.
  const removable = keys.filter((key) => required.includes(key) && placeIn(input, key) !== "path" && key in real);
  return [
    { ...real, unknownKey: 1 },
    ...removable.map((removed) => Object.fromEntries(Object.entries(real).filter(([key]) => key !== removed))),
    ...keys.flatMap((key) => {
      // What a query gives for a list is a list, of whatever was written there.
      const isList = input.properties[key]?.type === "array" && placeIn(input, key) === "query";
      return ["nonsense", "0x12"].map((value) => ({ ...real, [key]: isList ? [value] : value }));
    }),
    ...keys
      .filter((key) => placeIn(input, key) === "body")
      .flatMap((key) => [
        { ...real, [key]: [] },
        { ...real, [key]: 7 },
      ]),
  ];
}

function placeIn(input: Operation["input"], key: string) {
  const schema = input.properties[key];
  return schema === undefined ? null : placeOf(schema);
}

/** Sends an input where REST wants it; a key that it does not know goes where any other would. */
async function askRest({ headers }: Lane, { http, input }: Operation, values: Input) {
  let path = http.path;
  const query = new URLSearchParams();
  const body: Input = {};
  for (const [key, value] of Object.entries(values)) {
    const place = placeIn(input, key) ?? (hasBody(http.method) ? "body" : "query");
    if (place === "path") path = path.replace(`:${key}`, encodeURIComponent(String(value)));
    else if (place === "query") for (const each of [value].flat()) query.append(key, String(each));
    else body[key] = value;
  }
  const sent = { method: http.method, headers, ...(hasBody(http.method) ? { body } : {}) };
  const answer = await callApi(api, `${path}${query.size === 0 ? "" : `?${query}`}`, sent);
  if (answer.status >= 400) return { code: answer.body.code, issues: codesOf(answer.body), revert: answer.body.revert };
  return { answer: comparable(answer.body) };
}

async function askMcp({ mcp }: Lane, { name, input }: Operation, values: Input) {
  const { isError, body, text } = await mcp.call(name, values);
  if (isError) expect(text).not.toMatch(/\b(?:GET|POST|PUT|PATCH|DELETE) \/|\bprepare\/|\/subscriptions/);
  // What paths of REST have as address is account here.
  const named = (text: string) => ("address" in input.properties ? text.replace(/ account$/, " address") : text);
  if (isError) return { code: body.code, issues: codesOf(body).map(named).toSorted(), revert: body.revert };
  return { answer: comparable(body) };
}

function codesOf({ issues = [] }: Input): string[] {
  return Object(issues)
    .map(({ code, path }: { code: string; path?: string }) => `${code} ${path ?? ""}`)
    .toSorted();
}
