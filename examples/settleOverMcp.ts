import { parseArgs } from "node:util";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { chainDefaults } from "@dueday/core/chains";
import { createWalletClient, getAddress, http, isHex, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/**
 * One round of a keeper over MCP, in bare JSON-RPC: look, prepare, sign, confirm, and an error. It prints each request and
 * its answer, one line for each field, and cuts long lines; docs/mcp.md has such a transcript. The transaction that it signs is built
 * here, and is always remit().
 *
 *     KEEPER_PRIVATE_KEY=0x... bun examples/settleOverMcp.ts --api URL --rpc URL [--contract ADDRESS]
 *
 * `--contract` is needed on a chain that core's registry does not know.
 */

const CHARACTERS_SHOWN = 150;
const POLL_MS = 500;
const MINED_WITHIN_MS = 120_000;

const { values } = parseArgs({
  options: {
    api: { type: "string", default: "http://127.0.0.1:3000" },
    rpc: { type: "string", default: "http://127.0.0.1:8545" },
    contract: { type: "string" },
  },
});
const key = process.env.KEEPER_PRIVATE_KEY ?? "";
if (!isHex(key)) throw new Error("KEEPER_PRIVATE_KEY must be the private key of the wallet that calls remit()");
const account = privateKeyToAccount(key);
const wallet = createWalletClient({ account, transport: http(values.rpc) }).extend(publicActions);
const chainId = await wallet.getChainId();
const contract = values.contract ?? chainDefaults[chainId]?.contract;
if (contract === undefined) throw new Error("--contract is missing");
let lastId = 0;

await request("initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "settle-over-mcp", version: "1.0.0" },
});
await request("tools/list", {}, ({ tools }) =>
  Object.fromEntries(list(tools).map(({ name, description }) => [name, description])),
);

const plan = await call("get_remit_readiness", { chainId });
if (plan.ready === true) {
  const prepared = await call("prepare_remit", { from: account.address, chainId });
  const [gas] = list(prepared.gasEstimates);
  const hash = await wallet.sendTransaction({
    chain: null,
    to: getAddress(contract),
    data: encodeRemit(),
    gas: BigInt(String(gas?.gasLimit)),
  });
  console.log(`The wallet signs and broadcasts:\n\n    ${hash}\n`);
  await untilMined(hash);
}
await call("get_subscriptions_due", { date: "tomorrow", chainId });

type Fields = Record<string, unknown>;

/** Asks the service and not the wallet's node, so that it waits for one of them only. */
async function untilMined(txHash: string): Promise<void> {
  const deadline = Date.now() + MINED_WITHIN_MS;
  for (;;) {
    const { status } = await call("get_transaction_status", { txHash, chainId });
    if (status === "success" || status === "reverted") return;
    if (Date.now() > deadline) throw new Error(`${txHash} was not mined within ${MINED_WITHIN_MS / 1000} s`);
    await Bun.sleep(POLL_MS);
  }
}

/** Calls a tool. Its answer is structured; an error is a text that holds the envelope. */
async function call(name: string, given: Fields): Promise<Fields> {
  const result = await request("tools/call", { name, arguments: given }, ({ structuredContent, isError, content }) =>
    isError === true ? { isError, ...Object(JSON.parse(String(list(content)[0]?.text))) } : Object(structuredContent),
  );
  return Object(result.structuredContent);
}

/** Sends one JSON-RPC request and prints both sides of it. */
async function request(
  method: string,
  params: Fields,
  shown: (result: Fields) => Fields = (result) => result,
): Promise<Fields> {
  const body = { jsonrpc: "2.0", id: ++lastId, method, params };
  const response = await fetch(`${values.api}/mcp?toolsets=keeper`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    body: JSON.stringify(body),
  });
  const answer: Fields = Object(await response.json());
  if (answer.error !== undefined)
    throw new Error(`${method}: HTTP ${response.status}: ${JSON.stringify(answer.error)}`);
  const result: Fields = Object(answer.result);
  console.log(`${method} ${JSON.stringify(params)}\n`);
  for (const [name, value] of Object.entries(shown(result)))
    console.log(`    ${name}: ${abridge(JSON.stringify(value))}`);
  console.log("");
  return result;
}

function list(value: unknown): Fields[] {
  return Array.isArray(value) ? value : [];
}

function abridge(text: string): string {
  return text.length > CHARACTERS_SHOWN ? `${text.slice(0, CHARACTERS_SHOWN)}...` : text;
}
