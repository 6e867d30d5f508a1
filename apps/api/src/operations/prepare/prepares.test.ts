import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startProtocol } from "@dueday/api/test/startProtocol";
import { startTestApi, type TestApi } from "@dueday/api/test/startTestApi";
import { prepareFully, walkPrepare } from "@dueday/api/test/walkPrepare";
import { decodeTokenEvent } from "@dueday/core/events/decodeTokenEvent";
import { createSubscription, fund, subscribe } from "@dueday/devnet/scenarios/actions";
import { send } from "@dueday/devnet/send";
import type { TestAccount } from "@dueday/devnet/testAccount";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { type Address, type Hex, parseEther, parseUnits } from "viem";

/** Monday, 21 September 2026. */
const NOW_SECONDS = 1_790_000_000;
const MONTHLY = 1;
const DETAILS = { url: "https://harbor.example/plan", description: "Berth" };

const database = await createTestDatabase();
const protocol = await startProtocol({ now: NOW_SECONDS });
const token = await protocol.token("HUSD", 6);
const [provider, anna, ben] = [protocol.person(0), protocol.person(1), protocol.person(2)];
let api: TestApi;

beforeAll(async () => {
  api = await startTestApi({ database, rpcUrl: protocol.url, contract: protocol.contract });
});
afterAll(async () => {
  await api.stop();
  await protocol.stop();
});

const prepare = (path: string, body: Record<string, unknown>) => prepareFully(api, path, body);
const walk = (path: string, signer: TestAccount, body: Record<string, unknown>) =>
  walkPrepare({ api, rpcUrl: protocol.url }, { path, signer, body });

const plan = (overrides: Partial<Parameters<typeof createSubscription>[2]> = {}) =>
  createSubscription(protocol, provider.address, {
    amount: parseEther("12.5"),
    token,
    details: DETAILS,
    frequency: MONTHLY,
    dueDay: 5,
    ...overrides,
  });

async function subscribed(account: TestAccount): Promise<Hex> {
  const id = await plan();
  await fund(protocol, token, account.address, parseUnits("1000", 6), parseUnits("1000", 6));
  await subscribe(protocol, account.address, id);
  return id;
}

const object = (id: Hex) => ({
  id,
  amount: "12.50",
  provider: provider.address,
  token: token.toLowerCase(),
  cancelled: false,
  frequency: MONTHLY,
  dueDay: 5,
});

describe("prepared, signed and broadcast, the chain does what the simulation returned", () => {
  test("create_subscription; the id is null before and in the event after", async () => {
    const { prepared, receipts } = await walk("create_subscription", provider, {
      amount: "12.50",
      token,
      details: DETAILS,
      frequency: MONTHLY,
      dueDay: 5,
    });
    expect(prepared.signingMode).toBe("raw");
    expect(prepared.eip5792).toBeUndefined();
    expect(prepared.simulation.results[0]?.logs.map(({ eventName, id }) => [eventName, id])).toEqual([
      ["DetailsLog", null],
      ["Create", null],
    ]);
    expect(receipts[0]?.logs[0]?.topics[1]).toMatch(/^0x[0-9a-f]{64}$/);
  });

  test("subscribe from nothing: approve and subscribe in sequence on one state, as raw transactions and as one EIP-5792 batch", async () => {
    const id = await plan();
    await fund(protocol, token, anna.address, parseUnits("100", 6), 0n);
    const { prepared } = await walk("subscribe", anna, { subscription: object(id) });
    expect(prepared.signingMode).toBe("eip5792");
    expect(prepared.eip5792).toEqual({
      version: "2.0.0",
      chainId: "0x7a69",
      from: anna.address,
      atomicRequired: false,
      calls: prepared.unsignedTransactions.map(({ to, data }) => ({ to, data, value: "0x0" })),
    });
    expect(prepared.unsignedTransactions.map(({ to }) => to)).toEqual([token, protocol.contract]);
    expect(prepared.simulation.results.map(({ assetChanges }) => assetChanges.length)).toEqual([0, 3]);
    expect(prepared.warnings.map(({ code }) => code)).toEqual(["ONE_PERIOD_APPROVAL"]);
    expect(prepared.instructions.map(({ text }) => text).join(" ")).toMatch(
      /Devnet \(chain id 31337\).*approve.*subscribe.*transactions\/status/s,
    );
    expect(prepared.gasSummary.transactionCount).toBe(2);
  });

  test("subscribe_by_id without limit: no warning, and a later one needs no approval", async () => {
    const [first, second] = [await plan(), await plan()];
    await fund(protocol, token, ben.address, parseUnits("1000", 6), 0n);
    const unlimited = await walk("subscribe_by_id", ben, { id: first, infiniteApproval: true });
    expect(unlimited.prepared.warnings).toEqual([]);
    const later = await walk("subscribe_by_id", ben, { id: second });
    expect(later.prepared.signingMode).toBe("raw");
  });

  test("an allowance of one period is raised with infiniteApproval, and unchanged without", async () => {
    const id = await plan();
    await fund(protocol, token, anna.address, parseUnits("1000", 6), parseUnits("12.5", 6));
    const bare = await prepare("subscribe_by_id", { from: anna.address, id });
    expect([bare.signingMode, bare.warnings.map(({ code }) => code)]).toEqual(["raw", ["ONE_PERIOD_APPROVAL"]]);
    const { prepared } = await walk("subscribe_by_id", anna, { id, infiniteApproval: true });
    expect([prepared.signingMode, prepared.warnings]).toEqual(["eip5792", []]);
  });

  test("subscribe again after leaving", async () => {
    const id = await subscribed(anna);
    await walk("unsubscribe_by_id", anna, { id });
    await walk("subscribe_by_id", anna, { id });
  });

  test("edit_details", async () => {
    const id = await plan();
    const { receipts } = await walk("edit_details", provider, { id, details: { url: "", description: "Moved\nto B" } });
    expect(receipts[0]?.logs.length).toBe(1);
  });

  test("unsubscribe and unsubscribe_by_id warn that the fee balance goes to the provider", async () => {
    const { prepared } = await walk("unsubscribe", anna, { subscription: object(await subscribed(anna)) });
    expect(prepared.warnings.map(({ code }) => code)).toEqual(["FEE_BALANCE_TO_PROVIDER"]);
    await walk("unsubscribe_by_id", ben, { id: await subscribed(ben) });
  });

  test("unsubscribe_by_provider and unsubscribe_by_provider_by_id give the fee balance back", async () => {
    const id = await subscribed(anna);
    const { prepared } = await walk("unsubscribe_by_provider", provider, {
      subscription: object(id),
      subscriber: anna.address,
    });
    expect(prepared.simulation.results[0]?.assetChanges).toMatchObject([
      { account: protocol.contract, direction: "out" },
      { account: anna.address, direction: "in" },
    ]);
    const other = await subscribed(ben);
    await walk("unsubscribe_by_provider_by_id", provider, { id: other, subscriber: ben.address });
  });

  test("cancel_subscription and cancel_subscription_by_id", async () => {
    await walk("cancel_subscription", provider, { subscription: object(await plan()) });
    await walk("cancel_subscription_by_id", provider, { id: await plan() });
  });

  test("remit", async () => {
    const weekly = await plan({ frequency: 0, dueDay: 1 });
    await fund(protocol, token, ben.address, parseUnits("1000", 6), parseUnits("1000", 6));
    await subscribe(protocol, ben.address, weekly);
    const { prepared } = await walk("remit", anna, {});
    expect(prepared.simulation.results[0]?.logs.map(({ eventName }) => eventName)).toContain("CallerLog");
  });
});

describe("before a wallet signs", () => {
  test("readinessOnly returns the preflight and nothing to sign", async () => {
    const id = await plan();
    await fund(protocol, token, anna.address, parseUnits("100", 6), 0n);
    const { status, body } = await callApi(api, "/prepare/subscribe_by_id", {
      method: "POST",
      body: { from: anna.address, id, readinessOnly: true },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ readinessOnly: true, operation: "prepare_subscribe_by_id", ready: true, issues: [] });
    expect(body.details).toMatchObject({ ready: true, needsApproval: true, requiredAmountRaw: "12500000" });
    for (const key of ["unsignedTransactions", "gasEstimates", "gasSummary", "simulation"])
      expect(body).not.toHaveProperty(key);
  });

  test("paymasterUrl is a capability of the batch, of one transaction too, and no warning says that gas is missing", async () => {
    const paymasterUrl = "https://paymaster.example/v1?key=1";
    const id = await plan();
    const [{ address: from }] = [protocol.person(7)];
    await protocol.client.setBalance({ address: from, value: 0n });
    await fund(protocol, token, from, parseUnits("100", 6), 0n);
    const subscribing = await prepare("subscribe_by_id", { from, id, paymasterUrl });
    const edit = { from: provider.address, id, details: DETAILS };
    const editing = await prepare("edit_details", { ...edit, paymasterUrl });
    for (const { signingMode, eip5792, unsignedTransactions, warnings, instructions } of [subscribing, editing]) {
      expect(signingMode).toBe("eip5792");
      expect(eip5792?.capabilities).toEqual({ paymasterService: { url: paymasterUrl } });
      expect(eip5792?.calls.map(({ to, data }) => ({ to, data }))).toEqual(
        unsignedTransactions.map(({ to, data }) => ({ to, data })),
      );
      expect(warnings.map(({ code }) => code)).not.toContain("NO_GAS");
      expect(instructions.map(({ text }) => text).join(" ")).toContain(paymasterUrl);
    }
    expect(editing.unsignedTransactions).toHaveLength(1);
    const without = await prepare("subscribe_by_id", { from, id });
    expect(without.eip5792).not.toHaveProperty("capabilities");
    expect(without.warnings.map(({ code }) => code)).toContain("NO_GAS");
    expect((await prepare("edit_details", edit)).signingMode).toBe("raw");
    const unknown = { from: provider.address, id: `0x${"ab".repeat(32)}`, details: DETAILS };
    const lost = await callApi(api, "/prepare/edit_details", {
      method: "POST",
      body: { ...unknown, paymasterUrl: "http://paymaster.example/" },
    });
    expect(lost.status).toBe(404);
    const refused = await callApi(api, "/prepare/edit_details", {
      method: "POST",
      body: { ...edit, paymasterUrl: "http://paymaster.example/" },
    });
    expect([refused.status, refused.body.issues]).toMatchObject([400, [{ path: "paymasterUrl", code: "MALFORMED" }]]);
  });

  test("the answer begins with a sentence that states what signing does, with amounts, frequency by name and dates", async () => {
    const id = await plan();
    const short = `${id.slice(0, 10)}…${id.slice(-4)}`;
    const monthly = `the MONTHLY subscription of 12.5 HUSD (${short})`;
    await fund(protocol, token, anna.address, parseUnits("1000", 6), 0n);
    const of = async (path: string, body: Record<string, unknown>) => {
      const answer = await callApi(api, `/prepare/${path}`, { method: "POST", body });
      expect([answer.text, Object.keys(answer.body)[0]]).toEqual([answer.text, "summary"]);
      return answer.body.summary;
    };
    const quarterly = { amount: "15", token, details: DETAILS, frequency: 2, dueDay: 1 };
    expect(await of("create_subscription", { from: provider.address, ...quarterly })).toBe(
      "Creates a QUARTERLY subscription of 15 HUSD, first due 2026-10-01.",
    );
    expect(await of("subscribe_by_id", { from: anna.address, id, approvalPeriods: 12 })).toMatch(
      new RegExp(
        String.raw`^Subscribes ${anna.address} to ${RegExp.escape(monthly)}: [\d.]+ HUSD at once, then 12\.5 HUSD from 2026-10-05 on, after approving [\d.]+ HUSD\.$`,
      ),
    );
    expect(
      await of("subscribe_by_id", { from: anna.address, id, infiniteApproval: true, readinessOnly: true }),
    ).toEndWith("after approving unlimited HUSD.");
    expect(await of("cancel_subscription_by_id", { from: provider.address, id })).toBe(
      `Cancels ${monthly} for all its subscribers. It can't be resumed.`,
    );
    expect(await of("edit_details", { from: provider.address, id, details: DETAILS })).toBe(
      `Replaces the url and description of ${monthly}.`,
    );
    const joined = await subscribed(anna);
    expect(await of("unsubscribe_by_id", { from: anna.address, id: joined })).toStartWith(
      `Ends the payments of ${anna.address} for the MONTHLY subscription of 12.5 HUSD`,
    );
    expect(await of("approve", { from: anna.address, id: joined, infiniteApproval: true })).toBe(
      `Lets the protocol take unlimited HUSD from ${anna.address}, in place of the present allowance.`,
    );
  });

  test("readinessOnly has instructions: how to go on where it is ready, what to resolve where it is not", async () => {
    const id = await plan();
    await fund(protocol, token, anna.address, parseUnits("100", 6), 0n);
    const texts = async (from: Address) => {
      const { body } = await callApi(api, "/prepare/subscribe_by_id", {
        method: "POST",
        body: { from, id, readinessOnly: true },
      });
      return (body.instructions as { step: number; text: string }[]).map(({ text }) => text); // by the API's schema
    };
    expect((await texts(anna.address))[0]).toContain("without readinessOnly");
    expect((await texts(protocol.person(31).address))[0]).toContain(
      "the contract wants the wallet to hold a whole period, 12.5 HUSD; it holds 0 HUSD",
    );
  });

  test("gas is never below what from needs, whatever account broadcasts, with a warning where the two differ", async () => {
    const id = await subscribed(ben);
    await walk("unsubscribe_by_id", ben, { id });
    await fund(protocol, token, anna.address, parseUnits("100", 6), parseUnits("100", 6));
    const own = await prepare("subscribe_by_id", { from: anna.address, id });
    // Who was subscribed before writes to slots that are not empty, which is cheaper.
    const relayed = await prepare("subscribe_by_id", { from: anna.address, id, simulateFromAddress: ben.address });
    expect(relayed.gasEstimates).toEqual(own.gasEstimates);
    expect(relayed.warnings.map(({ code }) => code)).toContain("SIMULATE_FROM_DIFFERS");
    const other = await prepare("subscribe_by_id", { from: ben.address, id, simulateFromAddress: anna.address });
    expect(other.gasEstimates[0]?.gasLimit).toBe(own.gasEstimates[0]?.gasLimit);
  });

  test("simulateFromAddress changes only the gas estimates, with a warning where the simulation fails for it", async () => {
    const id = await plan();
    await fund(protocol, token, anna.address, parseUnits("100", 6), 0n);
    const plain = await prepare("subscribe_by_id", { from: anna.address, id });
    const relayed = await prepare("subscribe_by_id", { from: anna.address, id, simulateFromAddress: ben.address });
    const { gasEstimates: _, gasSummary: __, ...rest } = plain;
    const { gasEstimates: ___, gasSummary: ____, ...relayedRest } = relayed;
    expect({ ...relayedRest, requestId: "", asOf: "", warnings: [] }).toEqual({
      ...rest,
      requestId: "",
      asOf: "",
      warnings: [],
    });
    const stranger = protocol.person(30).address;
    const failing = await prepare("subscribe_by_id", { from: anna.address, id, simulateFromAddress: stranger });
    expect(failing.warnings.map(({ code }) => code)).toContain("SIMULATE_FROM_FAILED");
  });

  test("the initial charge of readiness is what the chain takes", async () => {
    for (const [frequency, dueDay] of [
      [0, 1],
      [0, 4],
      [1, 21],
      [1, 5],
      [2, 80],
      [3, 365],
    ] as const) {
      const id = await plan({ frequency, dueDay });
      await fund(protocol, token, anna.address, parseUnits("100", 6), parseUnits("100", 6));
      const { body } = await callApi(api, "/check_subscribe_readiness_by_id", {
        method: "POST",
        body: { from: anna.address, id },
      });
      const receipt = await send(protocol.client, {
        from: anna.address,
        to: protocol.contract,
        data: (await prepare("subscribe_by_id", { from: anna.address, id })).unsignedTransactions[0]?.data as Hex, // by the schema
      });
      const moved = receipt.logs.flatMap((log) => {
        const event = decodeTokenEvent(log);
        return event?.event === "Transfer" ? [event] : [];
      });
      const sum = (to: Address) =>
        moved
          .filter((each) => each.to === to.toLowerCase())
          .reduce((total, { value }) => total + value, 0n)
          .toString();
      expect(body.initialCharge).toMatchObject({
        toFeeBalanceRaw: sum(protocol.contract),
        toProviderRaw: sum(provider.address),
        totalRaw: (BigInt(sum(protocol.contract)) + BigInt(sum(provider.address))).toString(),
        tokenDecimals: 6,
      });
    }
  });

  test("the amounts of a late remit are counted, and a low allowance or balance is a warning", async () => {
    const id = await plan({ frequency: 0, dueDay: 7 });
    await fund(protocol, token, anna.address, parseUnits("13", 6), parseUnits("13", 6));
    const { body } = await callApi(api, "/check_subscribe_readiness_by_id", {
      method: "POST",
      body: { from: anna.address, id },
    });
    expect(body).toMatchObject({
      ready: true,
      needsApproval: false,
      runway: { periodsByAllowance: 0, periodsByBalance: 0 },
    });
    const codes = (body.warnings as { code: string }[]).map(({ code }) => code);
    expect(codes).toEqual(["ONE_PERIOD_APPROVAL", "LOW_BALANCE", ...(body.dueBeforeToday === 0 ? [] : ["LATE_REMIT"])]);
  });
});
