import { afterAll, beforeAll, expect, test } from "bun:test";
import { operations } from "@dueday/api/operations/operations";
import { connectMcp } from "@dueday/api/test/connectMcp";
import { openEvents } from "@dueday/api/test/openEvents";
import { encodeEditDetails } from "@dueday/core/calldata/encodeEditDetails";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { deployPeculiarToken, deployToken } from "@dueday/devnet/deployToken";
import { approveToken, createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createCleanUp } from "@dueday/local/createCleanUp";
import { type Stack, startStack } from "@dueday/local/startStack";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { type Address, type Hex, parseEther, stringToHex } from "viem";
import { startProcess } from "./startProcess";

// Whatever an account has written into a token, a subscription or a profile: on no way out does it control a terminal, hide or reverse text.

/** Each kind of unsafe character: controls, escapes, invisible and reversing ones, line separators, tags, variation selectors. */
const UNSAFE =
  "\u0000\u0007\u001b[31m\u0085\u00ad\u200b\u202e\u2066\u2028\u2029\ufeff\ufff9\u{e0041}\u{e0002}\u{e0100}";
/** Shows that a text has come through. */
const MARK = "Kilroy";
/** Replaced by the bytes of a lone surrogate, which no encoder writes. */
const SURROGATE = { placeholder: "@@@", bytes: "eda080" };
const TEXT = `${MARK}${UNSAFE}${SURROGATE.placeholder}.`;
/** What may be in no output; line feeds separate records. */
const UNCLEAN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{e0000}-\u{e0fff}]/u;
const ADMIN_SECRET = "an-admin-secret-of-a-test";

const cleanUp = createCleanUp();
const received: string[] = [];
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const body = await request.text();
    const { type, data } = JSON.parse(body);
    if (type === "webhook.challenge") return new Response(data.challenge);
    received.push(body);
    return new Response();
  },
});
cleanUp.add(() => receiver.stop(true));
let stack: Stack;
let world: { id: Hex; token: Address; provider: Address; subscriber: Address; txHash: Hex };

beforeAll(async () => {
  stack = await startStack({
    env: { PORT: "0", DEVNET_PORT: "0", ADMIN_SECRET },
    scenario: demo,
    cleanUp,
    folder: "dueday-text-test-",
    write() {},
    onFatal(error) {
      throw error;
    },
  });
  await openWebhook();
  world = await seed();
  const head = await stack.devnet.client.getBlockNumber();
  await waitUntil("the service to answer for the head", async () => {
    const paths = ["/remit/readiness", "/remit/history", `/subscriptions/${world.id}/history`];
    const answers = await Promise.all(paths.map((path) => fetch(`${stack.service.url}${path}?minBlock=${head}`)));
    return answers.every(({ ok }) => ok);
  });
});
afterAll(cleanUp.run);

async function openWebhook(): Promise<void> {
  const post = async (path: string, key: string, body: unknown) => {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${key}` };
    const response = await fetch(stack.service.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    expect(response.ok).toBe(true);
    return response.json();
  };
  const { key } = Object(await post("/developer/keys", ADMIN_SECRET, { subjectId: "a-test" }));
  const { id } = Object(await post("/webhooks", key, { url: receiver.url.href }));
  await post(`/webhooks/${id}/challenge`, key, {});
}

/** Puts hostile text wherever the chain takes one. */
async function seed() {
  const { client, contract } = stack.devnet;
  const [admin, provider, subscriber] = [
    testAccount(ACCOUNT_INDEX.admin).address,
    testAccount(ACCOUNT_INDEX.firstProvider + 1).address,
    testAccount(ACCOUNT_INDEX.firstSubscriber + 1).address,
  ];
  const target = { client, contract, admin };
  const token = await deployToken(client, admin, { name: TEXT, symbol: TEXT, decimals: 6 });
  await deployPeculiarToken(client, admin, { file: "OddTokens", contract: "HostileSymbolToken" });
  await approveToken(target, token, 6, parseEther("0.01"));
  const details = { url: TEXT, description: TEXT };
  const terms = { amount: parseEther("5"), token, frequency: 0, dueDay: 1 } as const;
  const id = await createSubscription(target, provider, { ...terms, details });
  const profile = { description: TEXT, company: TEXT, url: TEXT, domain: TEXT, email: TEXT, misc: TEXT };
  await send(client, { from: provider, to: contract, data: withSurrogates(encodeEditProvDetails(profile)) });
  const edited = await send(client, {
    from: provider,
    to: contract,
    data: withSurrogates(encodeEditDetails(details, id)),
  });
  await fund(target, token, subscriber, 100_000_000n, 100_000_000n);
  await subscribe(target, subscriber, id);
  return { id, token, provider, subscriber, txHash: edited.transactionHash };
}

function withSurrogates(data: Hex): Hex {
  const placeholder = stringToHex(SURROGATE.placeholder).slice(2);
  expect(data).toContain(placeholder);
  // Only digits were replaced by digits.
  return data.replaceAll(placeholder, SURROGATE.bytes) as Hex;
}

/** Every text inside a value, names of members included. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
}

/** The faults of an output, and whether hostile text has come through it. */
function judge(where: string, texts: readonly string[]): { faults: string[]; isMarked: boolean } {
  const unclean = texts.filter((text) => UNCLEAN.test(text));
  return {
    faults: unclean.map((text) => `${where}: ${JSON.stringify(text).slice(0, 200)}`),
    isMarked: texts.some((text) => text.includes(MARK)),
  };
}

/** Inputs of an operation by the names of its parameters; null where it takes something that this world has not. */
function inputsOf(input: {
  properties: Record<string, unknown>;
  required?: string[] | undefined;
}): Record<string, unknown>[] {
  const { id, token, provider, subscriber, txHash } = world;
  const known: Record<string, unknown> = {
    id,
    token,
    txHash,
    provider,
    subscriber,
    account: subscriber,
    frequency: 0,
    dueDay: 1,
    amount: "5",
    details: { url: "", description: "" },
    profile: {},
    approvalPeriods: 2,
  };
  const { required = [], properties } = input;
  const isNeeded = (name: string) => required.includes(name) && !("default" in Object(properties[name]));
  const names = Object.keys(properties).filter((name) => isNeeded(name) || name === "id" || name === "token");
  if (names.some((name) => !(name in known) && !["from", "address"].includes(name))) return [];
  const given = Object.fromEntries(names.filter((name) => name in known).map((name) => [name, known[name]]));
  const party = names.find((name) => name === "from" || name === "address");
  return party === undefined ? [given] : [provider, subscriber].map((each) => ({ ...given, [party]: each }));
}

const asked = () =>
  operations
    .filter(({ name }) => !/webhook|key|portal|session/.test(name))
    .flatMap((operation) => inputsOf(operation.input).map((input) => ({ operation, input })));

/** The request of an operation with these inputs, each in its place. */
function requestOf({ operation, input }: ReturnType<typeof asked>[number], accept = "application/json"): Request {
  const { method, path } = operation.http;
  const rest = { ...input };
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return value;
  });
  const url = new URL(filled, stack.service.url);
  if (method === "GET") for (const [name, value] of Object.entries(rest)) url.searchParams.set(name, String(value));
  const body = method === "GET" ? {} : { body: JSON.stringify(rest) };
  return new Request(url.href, { method, headers: { Accept: accept, "Content-Type": "application/json" }, ...body });
}

/** The answer once the service has one: on a busy machine its index may fall behind for a moment. */
async function fetchServed(asking: ReturnType<typeof asked>[number], accept?: string): Promise<Response> {
  let response = await fetch(requestOf(asking, accept));
  await waitUntil(`${asking.operation.name} to be served`, async () => {
    if (response.status === 503) response = await fetch(requestOf(asking, accept));
    return response.status !== 503;
  });
  return response;
}

test("REST: no answer of any operation has an unsafe character, and the text comes through at least a dozen", async () => {
  const faults: string[] = [];
  const marked = new Set<string>();
  for (const each of asked()) {
    const response = await fetchServed(each);
    const judged = judge(`${each.operation.name} ${response.status}`, textsIn(await response.json()));
    faults.push(...judged.faults);
    if (judged.isMarked) marked.add(each.operation.name);
  }
  expect(faults).toEqual([]);
  expect([...marked]).toContain("get_provider_profile");
  expect(marked.size).toBeGreaterThan(12);
});

test("CSV: no row of any list has an unsafe character but its line ends", async () => {
  const faults: string[] = [];
  let marked = 0;
  for (const each of asked()) {
    const response = await fetchServed(each, "text/csv");
    const text = await response.text();
    if (!response.headers.get("content-type")?.startsWith("text/csv")) continue;
    const judged = judge(each.operation.name, text.split("\r\n"));
    faults.push(...judged.faults);
    if (judged.isMarked) marked++;
  }
  expect(faults).toEqual([]);
  expect(marked).toBeGreaterThan(2);
});

test("MCP: neither text nor structured content of any tool has an unsafe character", async () => {
  const session = await connectMcp({ url: stack.service.url });
  try {
    const { tools } = await session.client.listTools();
    const names = new Set(tools.map(({ name }) => name));
    const faults: string[] = [];
    let marked = 0;
    for (const { operation, input } of asked().filter(({ operation: { name } }) => names.has(name))) {
      const { body, text } = await session.call(operation.name, input);
      // Text content is JSON of more than one line, or a sentence.
      const judged = judge(operation.name, [...textsIn(body), ...text.split("\n")]);
      faults.push(...judged.faults);
      if (judged.isMarked) marked++;
    }
    expect(faults).toEqual([]);
    expect(marked).toBeGreaterThan(10);
  } finally {
    await session.close();
  }
});

test("events: no event of the stream and no webhook has an unsafe character", async () => {
  const reader = await openEvents({ url: stack.service.url }, "after=0");
  try {
    await waitUntil(
      "the events of the texts",
      () => reader.events.filter(({ data }) => textsIn(data).some((text) => text.includes(MARK))).length >= 3,
    );
    await waitUntil("the webhooks of the texts", () => received.filter((body) => body.includes(MARK)).length >= 3);
    const ofStream = reader.events.flatMap(({ data }) => judge("stream", textsIn(data)).faults);
    const ofWebhooks = received.flatMap((body) => judge("webhook", textsIn(JSON.parse(body))).faults);
    expect([...ofStream, ...ofWebhooks]).toEqual([]);
  } finally {
    reader.close();
  }
});

test("keeper: neither its terminal nor its notifications have an unsafe character", async () => {
  const { devnet } = stack;
  const before = received.length;
  const args = ["--rpc", devnet.url, "--contract", devnet.contract];
  const env = { KEEPER_PRIVATE_KEY: devnet.keeper.privateKey, NOTIFY_URLS: receiver.url.href };
  const { timestamp } = await devnet.client.getBlock();
  await devnet.client.setNextBlockTimestamp({ timestamp: timestamp + 8n * 86_400n });
  await devnet.client.mine({ blocks: 1 });
  const outputs: string[] = [];
  const fromApi = ["--api", stack.service.url, "--dry-run"];
  for (const mode of [fromApi, ["--direct", "--dry-run"], ["--direct", "--once", "--jitter", "0"]]) {
    const keeper = await startProcess("apps/keeper/src/main.ts", { args: [...args, ...mode], env });
    try {
      await keeper.exited();
      outputs.push(await keeper.output());
    } finally {
      await keeper.dispose();
    }
  }
  const sent = received.slice(before).flatMap((body) => textsIn(JSON.parse(body)).flatMap((text) => text.split("\n")));
  const lines = outputs.join("\n").split("\n");
  expect([...judge("terminal", lines).faults, ...judge("notification", sent).faults]).toEqual([]);
  expect(outputs.every((output) => output.includes(MARK))).toBe(true);
});
