import { expect } from "bun:test";
import { decodeTokenEvent } from "@dueday/core/events/decodeTokenEvent";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import type { TestAccount } from "@dueday/devnet/testAccount";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { getAddress, type TransactionReceipt, zeroAddress } from "viem";
import { callApi } from "./callApi";
import { type Signable, signAndSend } from "./signAndSend";
import type { TestApi } from "./startTestApi";

const FullAnswer = prepareAnswer(Type.Object({ ready: Type.Boolean() })).anyOf[0];
export type FullAnswer = Static<typeof FullAnswer>;

/** A prepare answer that is expected to be a full one. */
export async function prepareFully(
  api: Pick<TestApi, "url">,
  path: string,
  body: Record<string, unknown>,
): Promise<FullAnswer> {
  const answer = await callApi(api, `/prepare/${path}`, { method: "POST", body });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  if (!Value.Check(FullAnswer, answer.body)) throw new Error(`not a full answer: ${answer.text}`);
  return answer.body;
}

export type Walk = { path: string; signer: TestAccount; body: Record<string, unknown> };

/** Prepares, signs, broadcasts, and holds what happened against what was simulated. */
export async function walkPrepare(
  { api, rpcUrl }: { api: Pick<TestApi, "url">; rpcUrl: string },
  { path, signer, body }: Walk,
) {
  const prepared = await prepareFully(api, path, { from: signer.address, ...body });
  expect(prepared.simulation).toMatchObject({ success: true, method: "eth_simulateV1" });
  // Its schema, checked above, has the patterns of addresses and hex.
  const receipts = await signAndSend(rpcUrl, signer, prepared as unknown as Signable);
  expect(prepared.simulation.results.length).toBe(receipts.length);
  for (const [index, receipt] of receipts.entries()) {
    const simulated = prepared.simulation.results[index];
    expect(receipt.status).toBe("success");
    // An event that names a token has an amount, whether or not tokens moved.
    for (const event of simulated?.logs ?? []) {
      if (event.token !== undefined)
        expect(event).toContainKeys(["tokenSymbol", "amount", "amountRaw", "tokenDecimals"]);
    }
    expect(await eventsOf(api, receipt)).toEqual(simulated?.logs.map(withoutTime) ?? []);
    expect(changesOf(receipt)).toEqual(
      Object.fromEntries(
        (simulated?.assetChanges ?? []).map(({ account, token, amountRaw, direction }) => [
          `${account}:${token}`,
          direction === "in" ? BigInt(amountRaw) : -BigInt(amountRaw),
        ]),
      ),
    );
    expect(receipt.gasUsed).toBeLessThanOrEqual(BigInt(prepared.gasEstimates[index]?.gasLimit ?? 0));
  }
  return { prepared, receipts };
}

/** The events that the service reports, without what depends on the block. */
async function eventsOf(api: Pick<TestApi, "url">, { transactionHash }: TransactionReceipt) {
  const { body } = await callApi(api, "/transactions/status", { method: "POST", body: { txHash: transactionHash } });
  expect(body).toMatchObject({ status: "success", confirmed: true });
  const events = body.events as Record<string, unknown>[]; // held against its schema by the API under test
  const created = events.find(({ eventName }) => eventName === "Create")?.id;
  return events.map((event) =>
    withoutTime(created !== undefined && event.id === created ? { ...event, id: null } : event),
  );
}

function withoutTime(event: Record<string, unknown>) {
  const { timestamp: _, formattedTimestamp: __, ...rest } = event;
  return rest;
}

/** Net units by account and token, straight from the Transfer logs of the receipt. */
function changesOf({ logs }: TransactionReceipt): Record<string, bigint> {
  const changes = new Map<string, bigint>();
  for (const log of logs) {
    const event = decodeTokenEvent(log);
    if (event?.event !== "Transfer") continue;
    const { from, to, value } = event;
    for (const [account, units] of [
      [from, -value],
      [to, value],
    ] as const) {
      const key = `${getAddress(account)}:${getAddress(log.address)}`;
      if (account !== zeroAddress) changes.set(key, (changes.get(key) ?? 0n) + units);
    }
  }
  return Object.fromEntries([...changes].filter(([, units]) => units !== 0n));
}
