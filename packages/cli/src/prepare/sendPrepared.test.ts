import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import type { Hex } from "viem";
import { PASSWORD, startSigningDemo } from "../../test/startSigningDemo";
import { verbs } from "../../test/verbs";
import type { Terminal } from "./sendPrepared";

const demo = await startSigningDemo();
const { api, devnet, run, sending, signing, nonceOf, id, accounts, keystores, passwordFile } = demo;
const { client, contract } = devnet;
afterAll(demo.stop);

let snapshot: Hex;
beforeEach(async () => {
  snapshot = await client.snapshot();
});
afterEach(() => client.revert({ id: snapshot }));

const VERBS = verbs(demo);
const OTHER = "0x6a0791cd884f2199dc8f372f6715f675d2950922";

const isMember = async (address: Hex) => {
  const rows = await client.readContract({
    address: contract,
    abi: protocolAbi,
    functionName: "getAccountSubscriptions",
    args: [true, address],
  });
  return rows.some(({ subscription, status }) => subscription.id === id && status === 0);
};

/** Answers like a person, and keeps what was asked. */
function answering(answer: boolean) {
  const questions: string[] = [];
  const terminal: Terminal = {
    confirm: async (question) => {
      questions.push(question);
      return answer;
    },
    askSecret: async (question) => {
      questions.push(question);
      return PASSWORD;
    },
  };
  return { terminal, questions };
}

test.each(VERBS)("%s --send shows what is signed, asks, and signs nothing after a no", async (_, verb) => {
  const { terminal, questions } = answering(false);
  const before = await nonceOf(verb.who);
  const refused = await run(["prepare", ...verb.command, ...signing(verb.who)], { terminal });
  expect(refused).toMatchObject({ code: 3, errors: expect.stringContaining("Nothing was signed") });
  expect(refused.out).toStartWith(`Signer\naddress\n${accounts[verb.who].address}\n`);
  expect(refused.out).toContain(verb.call);
  expect(questions).toEqual([expect.stringContaining("Password"), expect.stringContaining("Sign and send?")]);
  expect(await nonceOf(verb.who)).toBe(before);
});

test.each(VERBS)("%s --send signs what was confirmed, and prints what came of it", async (_, verb) => {
  const { terminal } = answering(true);
  const done = await run(["prepare", ...verb.command, ...signing(verb.who)], { terminal });
  expect(done).toMatchObject({ code: 0, errors: "" });
  // A permit is signed and kept; everything else is mined.
  expect(done.out).toMatch(
    verb.path === "permit" ? /\nKept permit\nfield/ : /\nsent 0x.*Mined\ntransaction +block\n0x/s,
  );
});

test.each(VERBS)("%s --send refuses an answer for another contract before it asks", async (_, verb) => {
  const { terminal, questions } = answering(true);
  const before = await nonceOf(verb.who);
  await using service = serveChanged((answer) => {
    // A permit is typed data of the token: there the contract is its domain.
    if (answer.typedData !== undefined) answer.typedData.domain.name = "Other";
    Object.assign(last(answer), { to: OTHER });
  });
  const command = ["prepare", ...verb.command, ...sending(verb.who)];
  expect(await run(command, { service: service.url, terminal })).toMatchObject({ code: 3, out: "" });
  expect(questions).toEqual([]);
  expect(await nonceOf(verb.who)).toBe(before);
});

test("with --json prints the mined transactions alone on standard output", async () => {
  const { code, out, errors } = await run(["--json", "prepare", "unsubscribe", id, ...sending("member"), "--yes"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({
    receipts: [{ transactionHash: expect.stringMatching(/^0x/), blockNumber: expect.stringMatching(/^\d+$/) }],
  });
  expect(errors).toContain("unsubscribe()");
  expect(await isMember(accounts.member.address)).toBe(false);
});

test("without a terminal needs --yes and the password in a file, and always the node and the keystore", async () => {
  const before = await nonceOf("member");
  const command = ["prepare", "unsubscribe", id];
  const keystore = ["--send", "--keystore", keystores.member, "--rpc", devnet.url];
  for (const [args, fault] of [
    [sending("member"), "--yes"],
    [[...keystore, "--contract", contract, "--yes"], "--password-file"],
    [[...keystore, "--password-file", passwordFile, "--yes"], "--contract"],
    [["--send", "--keystore", keystores.member, "--yes"], "--rpc"],
    [["--send", "--rpc", devnet.url, "--yes"], "--keystore"],
    [[...sending("member"), "--yes", "--from", accounts.joiner.address], "--from"],
    [[...sending("member"), "--yes", "--password-file", keystores.member], "password"],
  ] as const) {
    expect(await run([...command, ...args])).toMatchObject({ code: 2, errors: expect.stringContaining(fault) });
  }
  expect(await nonceOf("member")).toBe(before);
});

const subscribing = ["subscribe", id, "--periods", "2"];
const renewing = ["approve", id];
const FRAUDS: [what: string, command: string[], change: (answer: Prepared) => void, reason: string][] = [
  ["is for another chain", subscribing, (answer) => Object.assign(answer, { chainId: 8453 }), "another chain"],
  ["has other calldata", subscribing, (answer) => Object.assign(last(answer), { data: "0xdeadbeef" }), "calldata"],
  [
    "approves another recipient",
    renewing,
    (answer) => Object.assign(last(answer), { data: encodeApprove(accounts.provider.address, 1n) }),
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
  const before = await Promise.all([nonceOf("member"), nonceOf("joiner")]);
  await using service = serveChanged(change);
  const who = what === renewing ? "member" : "joiner";
  const command = ["prepare", ...what, ...sending(who), "--yes"];
  const refused = await run(command, { service: service.url });
  expect(refused).toMatchObject({ code: 3, out: "", errors: expect.stringContaining(reason) });
  expect(await Promise.all([nonceOf("member"), nonceOf("joiner")])).toEqual(before);
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

type Prepared = {
  chainId: number;
  unsignedTransactions?: { to: string; data: string; chainId: number }[];
  typedData?: { domain: { name: string } };
};

function last({ unsignedTransactions }: Prepared) {
  return unsignedTransactions?.at(-1) ?? {};
}

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
