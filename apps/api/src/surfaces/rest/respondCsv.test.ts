import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { indexTestChain } from "@dueday/api/test/indexTestChain";
import { startProtocol } from "@dueday/api/test/startProtocol";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { pageFacts } from "@dueday/core/paging";
import { createSubscription } from "@dueday/devnet/scenarios/actions";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { parse } from "csv-parse/sync";
import { type Hex, parseEther } from "viem";
import { listPayments } from "../../operations/money/listPayments";
import { respondCsv } from "./respondCsv";

const FORMULA = '=HYPERLINK("https://evil.example","Click")';
const QUOTED = 'a "quoted" text, with a comma\r\nand a line';

const database = await createTestDatabase();
const protocol = await startProtocol({ now: 1_790_000_000 });
let ids: Hex[];
let api: TestApi;

beforeAll(async () => {
  const token = await protocol.token("HUSD", 6);
  const terms = { amount: parseEther("12"), token, frequency: 0, dueDay: 3 };
  ids = [];
  for (const description of [FORMULA, QUOTED, "+1", "-1", "@now", "\tx"])
    ids.push(
      await createSubscription(protocol, protocol.person(0).address, { ...terms, details: { url: "", description } }),
    );
  const { contract, url } = protocol;
  const client = createChainClient({ chainId: TEST_CHAIN_ID, rpcUrls: [url], requestTimeoutMs: 5_000 });
  await indexTestChain({ database: database.database, client, contract });
  api = await startTestApi({ database, rpcUrl: url, contract });
});
afterAll(async () => {
  await api.stop();
  await protocol.stop();
});

async function describe(id: Hex | undefined): Promise<string> {
  const { text } = await callApi(api, `/subscriptions/${id}/details-history`, { headers: { Accept: "text/csv" } });
  const [row]: Record<string, string>[] = parse(text, { columns: true });
  return String(row?.description);
}

test("a text from the chain is never a formula of a spreadsheet", async () => {
  expect(await describe(ids[0])).toBe(`'${FORMULA}`);
  for (const id of ids.slice(2)) expect((await describe(id)).charAt(0)).not.toMatch(/[=+\-@\t\r]/);
});

test("quotes, commas and line breaks of a text stay inside its field", async () => {
  // Control characters are cleaned before any answer, as in JSON.
  expect(await describe(ids[1])).toMatch(/^a "quoted" text, with a comma.{2}and a line$/s);
});

test("a list of any length is written to its end", async () => {
  const pages = 600;
  const run = async ({ values }: { values: Record<string, unknown> }) => {
    const page = Number(values.after ?? 0);
    const payments = Array.from({ length: Number(values.first) }, (_, index) => ({ logIndex: page * 200 + index }));
    return { value: { payments, ...(page + 1 < pages && { nextAfter: String(page + 1) }) } };
  };
  const file = await respondCsv(listPayments, run, { values: {}, issues: [] }, "payments");
  const rows: { logIndex: string }[] = parse(await file.text(), { columns: true });
  expect(rows.map(({ logIndex }) => Number(logIndex))).toEqual(
    Array.from({ length: pages * 200 }, (_, index) => index),
  );
});

test("a list of a source without cursors is written to its end on one state, and broken off where it can't be read further", async () => {
  const fileOf = async (length: number) => {
    const run = async ({
      values: { first, skip = 0, atBlock = "of another block" },
    }: {
      values: Record<string, unknown>;
    }) => {
      const rest = Math.max(0, length - Number(skip));
      const shown = Math.min(rest, Number(first));
      const payments = Array.from({ length: shown }, (_, index) => ({
        logIndex: Number(skip) + index,
        transactionHash: atBlock,
      }));
      const facts = { count: rest > shown ? null : length, skip: Number(skip), shown, more: rest > shown };
      return { value: { payments, ...pageFacts(facts), asOf: { blockNumber: String(7 + Number(skip)) } } };
    };
    const file = await respondCsv(listPayments, run, { values: {}, issues: [] }, "payments");
    const rows: { logIndex: string; transactionHash: string }[] = parse(await file.text(), { columns: true });
    expect(new Set(rows.map(({ transactionHash }) => transactionHash))).toEqual(new Set(["7"]));
    return rows.map(({ logIndex }) => Number(logIndex));
  };
  expect(await fileOf(5_200)).toEqual(Array.from({ length: 5_200 }, (_, index) => index));
  await expect(fileOf(5_201)).rejects.toThrow("longer than its source");
});
