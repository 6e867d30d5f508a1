import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Operation, placeOf } from "@dueday/api/operation/defineOperation";
import { operations } from "@dueday/api/operations/operations";
import { callApi } from "@dueday/api/test/callApi";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { planId } from "@dueday/devnet/demoArguments";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { indexLogs } from "@dueday/worker/indexer/indexLogs";
import { indexContext } from "@dueday/worker/test/indexFixture";
import { getAddress, maxUint256, zeroAddress } from "viem";

const NOW = 1_790_000_000;
const TODAY = 20_717;
const database = await createTestDatabase();
const devnet = await startDevnet({ scenario: demo, now: NOW });
const { url: rpcUrl, contract } = devnet;
const index = async () => {
  const fixture = { url: rpcUrl, contract, chainId: TEST_CHAIN_ID };
  const indexing = { ...indexContext({ ...fixture, database: database.database }), clock: Date.now };
  await indexLogs(indexing, new AbortController().signal);
};
await index();
const api = await startTestApi({ database, rpcUrl, contract, clock: () => NOW * 1000 });
afterAll(async () => {
  await api.stop();
  await devnet.stop();
});

type Body = Record<string, unknown>;
const get = (path: string) => callApi(api, path);
const post = (path: string, body: Body) => callApi(api, path, { method: "POST", body });
const codesOf = (list: unknown) => Object(list).map(({ code }: { code: string }) => code);

/** A demo subscription that is open, with its record as the service returns it, a wallet that can join and one that has. */
async function plan(): Promise<{ id: string; record: Body; joiner: string; member: string }> {
  const id = planId(devnet);
  const { body: found } = await get("/subscriptions?cancelled=false");
  const { body: own } = await get(`/subscriptions/${id}`);
  const { body: page } = await get(`/subscriptions/${id}/subscribers`);
  const record = Object(found.subscriptions).find((each: Body) => each.id === id) ?? own.subscription;
  const [{ subscriber: member }] = Object(page.subscribers);
  return { id, record, joiner: testAccount(ACCOUNT_INDEX.firstSubscriber).address, member };
}

describe("a due list of one frequency", () => {
  test("has the sums of that frequency alone: over all four they are the day's, settled ones too", async () => {
    await send(devnet.client, { from: testAccount(ACCOUNT_INDEX.keeper).address, to: contract, data: encodeRemit() });
    await index();
    for (const day of [TODAY - 6, TODAY - 5, TODAY - 3, TODAY, TODAY + 3]) {
      const { body: whole } = await get(`/subscriptions/due?dayNumber=${day}`);
      const parts = await Promise.all(
        [0, 1, 2, 3].map(
          async (frequency) => (await get(`/subscriptions/due?dayNumber=${day}&frequency=${frequency}`)).body,
        ),
      );
      for (const name of ["totals", "settled", "missed"]) {
        const sumOf = (field: string) => parts.reduce((sum, part) => sum + Number(Object(part[name])[field]), 0);
        expect(sumOf("payments")).toBe(Number(Object(whole[name]).payments));
        for (const part of parts) {
          const ofTokens = Object(part[name]).byToken.reduce(
            (sum: number, each: Body) => sum + Number(each.payments),
            0,
          );
          expect(ofTokens).toBe(Object(part[name]).payments);
        }
      }
      for (const { results, totals } of parts) {
        const [list] = Object(results);
        const listed = list.subscriptions.reduce((sum: number, each: Body) => sum + Number(each.payments), 0);
        expect(Object(totals).payments).toBe(listed);
      }
    }
    const { body: settled } = await get(`/subscriptions/due?dayNumber=${TODAY - 6}`);
    const { body: scanned } = await get("/subscriptions/due");
    expect(Object(settled.settled).payments + Object(scanned.totals).payments).toBeGreaterThan(0);
  });

  test("is JSON alone: another Accept is 406 with the types that there are", async () => {
    const { status, body } = await callApi(api, "/subscriptions/due", { headers: { Accept: "text/csv" } });
    expect([status, body.code, body.details]).toEqual([406, "NOT_ACCEPTABLE", { types: ["application/json"] }]);
  });
});

describe("approvals", () => {
  beforeAll(async () => {
    const { record, joiner } = await plan();
    await send(devnet.client, {
      from: getAddress(joiner),
      to: getAddress(String(record.token)),
      data: encodeApprove(contract, 0n),
    });
  });

  test("of approvalPeriods cover the initial charge, that number of whole amounts and the wallet's other plans, and are not warned about", async () => {
    const { id, joiner } = await plan();
    const { status, body } = await post("/prepare/subscribe_by_id", { from: joiner, id, approvalPeriods: 12 });
    expect([status, body.signingMode]).toEqual([200, "eip5792"]);
    const preflight = Object(body.preflight);
    const alone = BigInt(preflight.initialCharge.totalRaw) + 12n * BigInt(preflight.requiredAmountRaw);
    const data: string = Object(body.unsignedTransactions).at(-2).data;
    expect(BigInt(`0x${data.slice(-64)}`)).toBeGreaterThan(alone);
    expect(preflight).toMatchObject({ includesApproval: true });
    expect(codesOf(body.warnings)).not.toContain("ONE_PERIOD_APPROVAL");
  });

  test("of one period are warned about, with the parameter and the date until which they last", async () => {
    const { id, joiner } = await plan();
    const { body } = await post("/prepare/subscribe_by_id", { from: joiner, id });
    const [warning] = Object(body.warnings).filter(({ code }: { code: string }) => code === "ONE_PERIOD_APPROVAL");
    expect(warning.message).toMatch(/lasts until (\d{4}-\d{2}-\d{2}|the next remit)/);
    expect(warning.message).toContain("approvalPeriods");
  });

  test("without limit and of periods contradict each other", async () => {
    const { id, joiner } = await plan();
    const both = { from: joiner, id, approvalPeriods: 12, infiniteApproval: true };
    expect((await post("/prepare/subscribe_by_id", both)).body).toMatchObject({
      code: "VALIDATION_ERROR",
      issues: [{ path: "approvalPeriods", code: "CONTRADICTION" }],
    });
  });

  test("are renewed by a subscriber; a wallet that is not subscribed is refused", async () => {
    const { id, member, joiner } = await plan();
    const { status, body } = await post("/prepare/approve", { from: member, id, infiniteApproval: true });
    expect(status).toBe(200);
    const data: string = Object(body.unsignedTransactions).at(-1).data;
    expect(BigInt(`0x${data.slice(-64)}`)).toBe(maxUint256);
    expect((await post("/prepare/approve", { from: joiner, id, approvalPeriods: 12 })).status).toBe(409);
    expect((await post("/prepare/approve", { from: member, id })).body.issues).toMatchObject([{ code: "REQUIRED" }]);
  });

  test("a wallet without ether is warned", async () => {
    const { id, member } = await plan();
    const snapshot = await devnet.client.snapshot();
    await devnet.client.setBalance({ address: getAddress(member), value: 0n });
    await devnet.client.mine({ blocks: 1 });
    const { body } = await post("/prepare/unsubscribe_by_id", { from: member, id });
    expect(codesOf(body.warnings)).toContain("NO_GAS");
    await devnet.client.revert({ id: snapshot });
  });
});

describe("addresses", () => {
  test("the zero address can't sign", async () => {
    const { id } = await plan();
    const { status, body } = await post("/prepare/unsubscribe_by_id", { from: zeroAddress, id });
    expect([status, body.issues]).toMatchObject([400, [{ path: "from", code: "ZERO_ADDRESS" }]]);
  });

  test("a mixed case with a wrong checksum is refused with the right one; one case throughout is accepted", async () => {
    const right = getAddress(contract);
    const digits = right.slice(2);
    const swapped = [...digits].map((each) => (/[a-f]/.test(each) ? each.toUpperCase() : each.toLowerCase())).join("");
    const wrong = await get(`/approved-tokens/0x${swapped}`);
    expect(wrong.status).toBe(400);
    expect(wrong.body.issues).toMatchObject([{ path: "token", code: "WRONG_CHECKSUM" }]);
    expect(wrong.text).toContain(right);
    const inList = await get(`/names?provider=${right}&provider=0x${swapped}`);
    expect([inList.status, inList.body.issues]).toMatchObject([400, [{ path: "provider.1", code: "WRONG_CHECKSUM" }]]);
    for (const each of [right, `0x${digits.toUpperCase()}`, right.toLowerCase()])
      expect((await get(`/approved-tokens/${each}`)).status).toBe(200);
  });

  test("the first wrong checksum in a text with several addresses is refused, and named with the right one", async () => {
    const right = getAddress(contract);
    const digits = right.slice(2);
    const swapped = `0x${[...digits].map((each) => (/[a-f]/.test(each) ? each.toUpperCase() : each.toLowerCase())).join("")}`;
    const accepted = [right, `0x${digits.toUpperCase()}`, right.toLowerCase()];
    for (const path of ["/subscriptions/due?", "/subscriptions/due/calendar?month=2026-03&", "/remit/forecast?"]) {
      for (const name of ["account", "provider"]) {
        const { status, body } = await get(`${path}${name}=${[...accepted, swapped, swapped].join(",")}`);
        expect([path, status, body.issues]).toMatchObject([path, 400, [{ path: name, code: "WRONG_CHECKSUM" }]]);
        const [{ message }] = Object(body.issues);
        expect([message.includes(swapped), message.includes(right)]).toEqual([true, true]);
        expect((await get(`${path}${name}=${accepted.join(",")}`)).status).toBe(200);
      }
    }
    const price = await get(`/remit/plan?price=${swapped}:1`);
    expect([price.status, price.body.issues]).toMatchObject([400, [{ path: "price.0", code: "WRONG_CHECKSUM" }]]);
  });
});

test("the object form takes a record as a read returned it, and compares all that describes it", async () => {
  const { record, joiner } = await plan();
  const as = (subscription: Body) => post("/check_subscribe_readiness", { from: joiner, subscription });
  expect((await as(record)).status).toBe(200);
  const { body } = await get(`/accounts/${String(record.provider)}`);
  const row = Object(body.created)[0];
  expect((await as({ ...row.subscription, ...row, subscription: undefined })).status).toBe(200);
  const [listed] = Object((await get("/subscriptions")).body.subscriptions);
  expect(Object.keys(listed)).toContain("planName");
  expect((await as(listed)).status).toBe(200);
  const differs = await as({ ...record, amountRaw: "1", frequencyLabel: "YEARLY" });
  expect(codesOf(differs.body.issues)).toEqual(["DIFFERS_FROM_CHAIN", "DIFFERS_FROM_CHAIN"]);
});

test("texts that readers will see in another form are warned about", async () => {
  const profile = { description: "a\nb", company: "", url: "", domain: "", email: "", misc: "" };
  const from = devnet.keeper.address;
  const { status, body } = await post("/prepare/edit_provider_profile", { from, profile });
  expect([status, codesOf(body.warnings)]).toEqual([200, ["TEXT_WILL_BE_CLEANED"]]);
  const plain = await post("/prepare/edit_provider_profile", { from, profile: { ...profile, description: "a b" } });
  expect(plain.body.warnings).toEqual([]);
  const bad = { ...profile, url: "javascript:alert(1)" };
  expect((await post("/prepare/edit_provider_profile", { from, profile: bad })).status).toBe(400);
});

describe("minBlock", () => {
  test("is the block of a transaction's status, and what is read from there on has seen it", async () => {
    const snapshot = await devnet.client.snapshot();
    const remit = { from: devnet.keeper.address, to: contract, data: encodeRemit() };
    const { transactionHash: txHash } = await send(devnet.client, remit);
    const { minBlock } = (await post("/transactions/status", { txHash })).body;
    await index();
    for (const path of [
      "/protocol/state",
      "/subscriptions/due",
      `/subscriptions?cancelled=false`,
      "/remit/readiness",
    ]) {
      const { status, body } = await get(`${path}${path.includes("?") ? "&" : "?"}minBlock=${minBlock}`);
      expect([path, status]).toEqual([path, 200]);
      expect(BigInt(Object(body.asOf).blockNumber)).toBeGreaterThanOrEqual(BigInt(String(minBlock)));
    }
    await devnet.client.revert({ id: snapshot });
  });

  test("that is not reached within 5 seconds is 503 with Retry-After; the header has the same meaning", async () => {
    const far = await callApi(api, "/protocol/state", { headers: { "X-Min-Block": "999999999" } });
    expect([far.status, far.body.code, far.headers.get("retry-after")]).toEqual([503, "NOT_INDEXED", "2"]);
    expect((await get("/protocol/state?minBlock=x")).body.issues).toMatchObject([
      { path: "minBlock", code: "MALFORMED" },
    ]);
    expect((await get("/protocol/state?minBlock=1&minBlock=2")).status).toBe(400);
  });

  test("holds for every read of a chain: none answers for an earlier block", async () => {
    const reads = operations.filter(({ chainScoped, http }) => chainScoped && http.method === "GET");
    const statuses = await Promise.all(
      reads.map(async ({ name, http, input, example }: Operation) => {
        const values: Readonly<Record<string, unknown>> = { ...example, id: planId(devnet) };
        const path = http.path.replace(/:(\w+)/g, (_, key) => String(values[key]));
        const query = new URLSearchParams({ minBlock: "999999999" });
        for (const [key, schema] of Object.entries(input.properties))
          if (key in values && placeOf(schema) === "query")
            for (const value of [values[key]].flat()) query.append(key, String(value));
        return [name, (await get(`${path}?${query}`)).status] as const;
      }),
    );
    // Its lane is judged first.
    expect(statuses.filter(([, status]) => status !== 503)).toEqual([["list_permits", 403]]);
  }, 30_000);
});

test("a month of due days agrees with each day's own answer, before and after the plan is caught up", async () => {
  const compare = async () => {
    await index();
    const { status, body } = await get("/subscriptions/due/calendar?month=2026-09");
    expect(status).toBe(200);
    const rows = Object(body.days);
    expect(rows).toHaveLength(30);
    for (const row of rows.filter(({ dayNumber }: { dayNumber: number }) => Math.abs(dayNumber - TODAY) < 4)) {
      const { body: day } = await get(`/subscriptions/due?dayNumber=${row.dayNumber}`);
      const { totals, settled, missed, dayState } = Object(day);
      expect([row.dayState, row.open.payments + row.upcoming.payments]).toEqual([dayState, totals.payments]);
      expect(row.settled.payments + row.failed.payments).toBe(settled.payments);
      expect(row.missed.payments).toBe(missed.payments);
    }
    return rows.find(({ dayNumber }: { dayNumber: number }) => dayNumber === TODAY);
  };
  expect((await compare()).dayState).toBe("open");
  const snapshot = await devnet.client.snapshot();
  while ((await get("/remit/readiness")).body.ready === true)
    await send(devnet.client, { from: devnet.keeper.address, to: contract, data: encodeRemit() });
  const today = await compare();
  expect([today.dayState, today.open.payments, today.upcoming.payments]).toEqual(["settled", 0, 0]);
  expect(today.settled.payments).toBeGreaterThan(0);
  await devnet.client.revert({ id: snapshot });
});

test("a month that does not exist is refused in words", async () => {
  for (const month of ["2026-13", "2026-3", "x"]) {
    const { status, body } = await get(`/subscriptions/due/calendar?month=${month}`);
    expect([status, body.code]).toEqual([400, "VALIDATION_ERROR"]);
    expect(String(body.error)).toContain("2026-03");
  }
});
