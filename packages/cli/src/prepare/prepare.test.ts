import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { comparable } from "@dueday/api/test/comparable";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { planId, planToken } from "@dueday/devnet/demoArguments";
import { demoPlans } from "@dueday/devnet/scenarios/demoPlans";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { sealKeystore } from "@dueday/test-support/sealKeystore";
import type { Hex } from "viem";
import { runCommand } from "../runCommand";
import type { Terminal } from "./sendPrepared";

const { api, devnet, stop } = await startDemoApi();
const folder = await mkdtemp(join(tmpdir(), "dueday-cli-"));
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true });
});
const { client, contract } = devnet;
const PASSWORD = "correct horse";
const plan = demoPlans.find(({ key }) => key === "reader");
const id = planId(devnet);
const token = await planToken(devnet);
const member = testAccount(ACCOUNT_INDEX.firstSubscriber + (plan?.subscribers[0] ?? 0));
const joiner = testAccount(ACCOUNT_INDEX.firstSubscriber);
const provider = testAccount(ACCOUNT_INDEX.firstProvider + (plan?.provider ?? 0));
const passwordFile = await writeSecret("password", `${PASSWORD}\n`);
const keystores = {
  joiner: await writeSecret("joiner", sealKeystore(joiner.privateKey, PASSWORD)),
  member: await writeSecret("member", sealKeystore(member.privateKey, PASSWORD)),
};

let snapshot: Hex;
beforeEach(async () => {
  snapshot = await client.snapshot();
});
afterEach(() => client.revert({ id: snapshot }));

async function writeSecret(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await Bun.write(path, text);
  await chmod(path, 0o600);
  return path;
}

type Given = { service?: string; terminal?: Terminal };

async function run(args: readonly string[], { service = api.url, terminal }: Given = {}) {
  let [out, errors] = ["", ""];
  const code = await runCommand(args, {
    env: { DUEDAY_API: service },
    write: (text) => {
      out += text;
    },
    writeError: (text) => {
      errors += text;
    },
    terminal,
  });
  return { code, out, errors };
}

/** What signs with the key of `who`, without a terminal. */
const sending = (who: keyof typeof keystores) => {
  const files = ["--keystore", keystores[who], "--password-file", passwordFile];
  return ["--send", ...files, "--rpc", devnet.url, "--contract", contract];
};
const nonceOf = ({ address }: { address: Hex }) => client.getTransactionCount({ address });
const isMember = async (address: Hex) => {
  const rows = await client.readContract({
    address: contract,
    abi: protocolAbi,
    functionName: "getAccountSubscriptions",
    args: [true, address],
  });
  return rows.some(({ subscription, status }) => subscription.id === id && status === 0);
};

const PROFILE = { description: "d", company: "c", url: "", domain: "", email: "", misc: "" };
const DETAILS = { url: "https://example.com", description: "x" };
const PREPARATIONS: [command: string[], path: string, from: Hex, body: Record<string, unknown>, call: string][] = [
  [
    ["create-subscription", "--amount", "12.5", "--token", token, "--frequency", "monthly", "--due-day", "5"],
    "create_subscription",
    provider.address,
    { amount: "12.5", token, frequency: 1, dueDay: 5, details: { url: "", description: "" } },
    "createSubscription()",
  ],
  [["subscribe", id, "--periods", "3"], "subscribe_by_id", joiner.address, { id, approvalPeriods: 3 }, "subscribe()"],
  [["approve", id, "--periods", "6"], "approve", member.address, { id, approvalPeriods: 6 }, "approve()"],
  [["unsubscribe", id], "unsubscribe_by_id", member.address, { id }, "unsubscribe()"],
  [
    ["remove-subscriber", id, member.address],
    "unsubscribe_by_provider_by_id",
    provider.address,
    { id, subscriber: member.address },
    "unsubscribeByProvider()",
  ],
  [["cancel", id], "cancel_subscription_by_id", provider.address, { id }, "cancelSubscription()"],
  [
    ["edit-details", id, "--url", DETAILS.url, "--description", DETAILS.description],
    "edit_details",
    provider.address,
    { id, details: DETAILS },
    "editDetails()",
  ],
  [
    ["edit-profile", "--description", "d", "--company", "c"],
    "edit_provider_profile",
    provider.address,
    { profile: PROFILE },
    "editProvDetails()",
  ],
  [["remit"], "remit", joiner.address, {}, "remit()"],
];

test.each(PREPARATIONS)(
  "prepare %p prints the calls to sign, and with --json the answer of the API",
  async (...row) => {
    const [command, path, from, body, call] = row;
    const table = await run(["prepare", ...command, "--from", from]);
    expect(table).toMatchObject({ code: 0, errors: "" });
    expect(table.out).toStartWith(`To sign on chain ${DEVNET_CHAIN_ID}: `);
    expect(table.out).toContain(`  ${call}`);
    const answer = await fetch(`${api.url}/prepare/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ from, ...body }),
    });
    expect(answer.status).toBe(200);
    const json = await run(["--json", "prepare", ...command, "--from", from]);
    expect(comparable(JSON.parse(json.out))).toEqual(comparable(Object(await answer.json())));
  },
);

test("the tables of an approval and of what follows it are these", async () => {
  const { out } = await run(["prepare", "subscribe", id, "--from", joiner.address, "--periods", "3"]);
  // Gas and its price depend on the compiler and the chain.
  expect(out.replaceAll(/ {2,}/g, "  ").replaceAll(/\d+\.\d{6,}|\b\d{5,6}\b/g, "N")).toMatchSnapshot();
});

test("a signer must be named, and what is signed must have its form", async () => {
  expect(await run(["prepare", "remit"])).toMatchObject({ code: 2, errors: expect.stringContaining("--from") });
  expect((await run(["prepare", "remit", "--from", "0x12"])).code).toBe(2);
  expect((await run(["prepare", "cancel", "0x12", "--from", joiner.address])).code).toBe(2);
  expect((await run(["prepare", "unsubscribe", id, "--from", joiner.address])).code).toBe(3);
});

describe("--send", () => {
  test("shows, asks, and signs what was confirmed", async () => {
    const questions: string[] = [];
    const terminal: Terminal = {
      confirm: async (question) => questions.push(question) > 0,
      askSecret: async (question) => {
        questions.push(question);
        return PASSWORD;
      },
    };
    const given = ["--send", "--keystore", keystores.joiner, "--rpc", devnet.url, "--contract", contract];
    const { code, out, errors } = await run(["prepare", "subscribe", id, "--periods", "2", ...given], { terminal });
    expect({ code, errors }).toEqual({ code: 0, errors: "" });
    expect(questions).toEqual([expect.stringContaining("Password"), expect.stringContaining("Sign and send?")]);
    expect(out).toMatch(/^Signer\naddress\n0x.*subscribe\(\).*\nsent 0x.*Mined\ntransaction +block\n0x/s);
    expect(out).toContain(joiner.address);
    expect(await isMember(joiner.address)).toBe(true);
  });

  test("with --json prints the mined transactions alone on standard output", async () => {
    const { code, out, errors } = await run(["--json", "prepare", "unsubscribe", id, ...sending("member"), "--yes"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      receipts: [{ transactionHash: expect.stringMatching(/^0x/), blockNumber: expect.stringMatching(/^\d+$/) }],
    });
    expect(errors).toContain("unsubscribe()");
    expect(await isMember(member.address)).toBe(false);
  });

  test("signs nothing after another answer than yes", async () => {
    const before = await nonceOf(member);
    const terminal: Terminal = { confirm: async () => false, askSecret: async () => PASSWORD };
    const refused = await run(["prepare", "unsubscribe", id, ...sending("member")], { terminal });
    expect(refused).toMatchObject({ code: 3, errors: expect.stringContaining("Nothing was signed") });
    expect(await nonceOf(member)).toBe(before);
  });

  test("without a terminal needs --yes and the password in a file, and always the node and the keystore", async () => {
    const before = await nonceOf(member);
    const command = ["prepare", "unsubscribe", id];
    const keystore = ["--send", "--keystore", keystores.member, "--rpc", devnet.url];
    for (const [args, fault] of [
      [sending("member"), "--yes"],
      [[...keystore, "--contract", contract, "--yes"], "--password-file"],
      [[...keystore, "--password-file", passwordFile, "--yes"], "--contract"],
      [["--send", "--keystore", keystores.member, "--yes"], "--rpc"],
      [["--send", "--rpc", devnet.url, "--yes"], "--keystore"],
      [[...sending("member"), "--yes", "--from", joiner.address], "--from"],
      [[...sending("member"), "--yes", "--password-file", keystores.member], "password"],
    ] as const) {
      expect(await run([...command, ...args])).toMatchObject({ code: 2, errors: expect.stringContaining(fault) });
    }
    expect(await nonceOf(member)).toBe(before);
  });

  const subscribing = ["subscribe", id, "--periods", "2"];
  const renewing = ["approve", id];
  const last = (answer: Prepared) => answer.unsignedTransactions.at(-1) ?? { to: "", data: "", chainId: 0 };
  const FRAUDS: [what: string, command: string[], change: (answer: Prepared) => void, reason: string][] = [
    ["goes to another contract", subscribing, (answer) => Object.assign(last(answer), { to: token }), "does not go to"],
    ["is for another chain", subscribing, (answer) => Object.assign(answer, { chainId: 8453 }), "another chain"],
    ["has other calldata", subscribing, (answer) => Object.assign(last(answer), { data: "0xdeadbeef" }), "calldata"],
    [
      "approves another recipient",
      renewing,
      (answer) => Object.assign(last(answer), { data: encodeApprove(provider.address, 1n) }),
      "calldata",
    ],
    [
      "approves more than was asked for",
      renewing,
      (answer) => Object.assign(last(answer), { data: encodeApprove(contract, 2n ** 255n) }),
      "calldata",
    ],
  ];

  test.each(FRAUDS)("refuses an answer that %s, before it asks", async (_, what, change, reason) => {
    const before = await Promise.all([nonceOf(member), nonceOf(joiner)]);
    await using service = serveChanged(change);
    const who = what === renewing ? "member" : "joiner";
    const command = ["prepare", ...what, ...sending(who), "--yes"];
    const refused = await run(command, { service: service.url });
    expect(refused).toMatchObject({ code: 3, out: "", errors: expect.stringContaining(reason) });
    expect(await Promise.all([nonceOf(member), nonceOf(joiner)])).toEqual(before);
  });

  test("refuses a node of another chain than --chain, and a node that is away is unavailable", async () => {
    const command = ["prepare", "unsubscribe", id, ...sending("member"), "--yes"];
    expect(await run(["--chain", "8453", ...command])).toMatchObject({
      code: 3,
      errors: expect.stringContaining("chain 31337"),
    });
    const away = await run([...command, "--rpc", "http://127.0.0.1:1/secret"]);
    expect(away).toMatchObject({ code: 4, errors: expect.not.stringContaining("secret") });
  });
});

type Prepared = { chainId: number; unsignedTransactions: { to: string; data: string; chainId: number }[] };

/** The service, but for what it prepares. */
function serveChanged(change: (answer: Prepared) => void) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "POST" ? await request.text() : null;
      const passed = { "Content-Type": headers.get("Content-Type") ?? "application/json" };
      const answer = await fetch(`${api.url}${pathname}${search}`, { method, headers: passed, body });
      const value: Prepared = Object(await answer.json());
      change(value);
      return Response.json(value, { status: answer.status });
    },
  });
  return { url: server.url.origin, [Symbol.asyncDispose]: () => server.stop(true) };
}
