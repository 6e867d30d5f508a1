import { afterAll, expect, test } from "bun:test";
import { readHead } from "@dueday/chain/block/readHead";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { parseConfig } from "@dueday/config/parseConfig";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTokenWatch } from "./createTokenWatch";

const devnet = await startDevnet({ scenario: missedPayments, now: Math.floor(Date.now() / 1000) });
afterAll(() => devnet.stop());

const { chains } = parseConfig({
  CHAINS: "31337",
  CHAIN_31337_RPC_URLS: devnet.url,
  CHAIN_31337_CONTRACT: devnet.contract,
});
const [chain] = chains;
if (chain === undefined) throw new Error("the settings name a chain");

test("a book whose block's state the node no longer has can't be compared, which is no failure", async () => {
  const client = createChainClient({ chainId: 31337, rpcUrls: [devnet.url], requestTimeoutMs: 5_000 });
  const block = await readHead(client);
  const holders = new Map(devnet.tokens.map((token) => [token, new Set([devnet.contract])]));
  const pruned = { ...block, hash: `0x${"ee".repeat(32)}` as const };
  expect(await createTokenWatch({ chain, client }).check({ block: pruned, holders }, block)).toBe("unknown");
}, 30_000);

test("each book is compared with its own block by one request, also where two books are checked in turn", async () => {
  let requests = 0;
  const client = createChainClient({
    chainId: 31337,
    rpcUrls: [devnet.url],
    requestTimeoutMs: 5_000,
    onRequest: ({ method }) => void (method === "eth_call" && requests++),
  });
  const block = await readHead(client);
  const holders = new Map(devnet.tokens.map((token) => [token, new Set([devnet.contract])]));
  const [plan, due] = [
    { block, holders },
    { block, holders },
  ];
  const { check } = createTokenWatch({ chain, client });
  for (const book of [plan, due]) expect(await check(book, block)).toBe("same");
  expect(requests).toBe(4);
  for (const book of [plan, due, plan]) expect(await check(book, block)).toBe("same");
  expect(requests).toBe(7);
});
