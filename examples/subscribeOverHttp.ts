import { parseArgs } from "node:util";
import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { chainDefaults } from "@dueday/core/chains";
import { Address, Hex, IntegerString, Subscription } from "@dueday/core/schema";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { createWalletClient, decodeFunctionData, getAddress, http, isAddressEqual, isHex, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/**
 * Subscribes a wallet that pays nothing else in the plan's token: readiness, prepare, sign the batch in order, confirm. It uses the
 * public API and its own node, and signs only transactions that it has decoded and checked.
 *
 *     SUBSCRIBER_PRIVATE_KEY=0x... bun examples/subscribeOverHttp.ts --api URL --rpc URL --id 0x... [--contract ADDRESS]
 *
 * `--contract` is needed on a chain that core's registry does not know. Exit code 0: subscribed; 1: not, with the reason.
 */

const Notes = Type.Array(Type.Object({ code: Type.String(), message: Type.String() }));

const Readiness = Type.Object({
  ready: Type.Boolean(),
  requiredAmountRaw: IntegerString,
  initialCharge: Type.Object({ total: Type.String(), totalRaw: IntegerString }),
  /** Number of due days up to today that remit() has not settled: for each, one whole amount will be charged. */
  dueBeforeToday: Type.Integer(),
  subscription: Subscription,
  issues: Notes,
  warnings: Notes,
});
type Readiness = Static<typeof Readiness>;

const Transaction = Type.Object({
  to: Address,
  data: Hex,
  value: Type.Literal("0"),
  chainId: Type.Integer(),
  from: Address,
});
type Transaction = Static<typeof Transaction>;

const Prepared = Type.Object({
  instructions: Type.Array(Type.Object({ step: Type.Integer(), text: Type.String() })),
  unsignedTransactions: Type.Array(Transaction, { minItems: 1, maxItems: 3 }),
  gasEstimates: Type.Array(Type.Object({ gasLimit: IntegerString })),
});

const Status = Type.Object({
  status: Type.String(),
  confirmed: Type.Boolean(),
  events: Type.Optional(Type.Array(Type.Object({ eventName: Type.String() }))),
});

/** Payments that the approve covers, besides the initial charge and those of `dueBeforeToday`. */
const APPROVAL_PERIODS = 12;
const POLL_MS = 500;
const CONFIRMED_WITHIN_MS = 120_000;

const { values } = parseArgs({
  options: {
    api: { type: "string", default: "http://127.0.0.1:3000" },
    rpc: { type: "string", default: "http://127.0.0.1:8545" },
    id: { type: "string", default: "" },
    contract: { type: "string" },
  },
});
const key = process.env.SUBSCRIBER_PRIVATE_KEY ?? "";
if (!isHex(key)) throw new Error("SUBSCRIBER_PRIVATE_KEY must be the private key of the wallet that subscribes");
const account = privateKeyToAccount(key);
const wallet = createWalletClient({ account, transport: http(values.rpc) }).extend(publicActions);
const chainId = await wallet.getChainId();
const contract = getAddress(values.contract ?? chainDefaults[chainId]?.contract ?? fail("--contract is missing"));

const readiness = await post("/check_subscribe_readiness_by_id", { from: account.address, id: values.id }, Readiness);
const { subscription, initialCharge } = readiness;
console.log(
  `${subscription.amount} ${subscription.tokenSymbol} ${subscription.frequencyLabel} to ${subscription.provider}`,
);
console.log(`taken at once: ${initialCharge.total} ${subscription.tokenSymbol}`);
for (const { code, message } of [...readiness.issues, ...readiness.warnings]) console.log(`${code}: ${message}`);
if (!readiness.ready) fail("this wallet can't subscribe now");

// By default the approve covers one period. The initial charge spends part of it, so the first remit() would fail.
const asked = { from: account.address, id: values.id, approvalPeriods: APPROVAL_PERIODS };
const prepared = await post("/prepare/subscribe_by_id", asked, Prepared);
for (const { step, text } of prepared.instructions) console.log(`${step}. ${text}`);
const titles = prepared.unsignedTransactions.map((transaction) => understand(transaction, readiness));

for (const [index, { to, data }] of prepared.unsignedTransactions.entries()) {
  const gas = prepared.gasEstimates[index] ?? fail("a gas estimate is missing");
  const hash = await wallet.sendTransaction({
    chain: null,
    to,
    data,
    // The gas price comes from the wallet's own node: a service could return one that empties the wallet.
    gas: BigInt(gas.gasLimit),
  });
  const events = await confirm(hash);
  console.log(`${titles[index]} confirmed: ${hash} (${events.join(", ")})`);
}
console.log("subscribed");

/** Describes a transaction by its own calldata. Refuses all but this wallet's approve and subscribe. */
function understand(
  transaction: Transaction,
  { requiredAmountRaw, initialCharge: charge, dueBeforeToday }: Readiness,
): string {
  const { to, data, from } = transaction;
  if (transaction.chainId !== chainId)
    fail(`a transaction is for chain ${transaction.chainId}, the node is on ${chainId}`);
  if (!isAddressEqual(from, account.address)) fail("a transaction is for another wallet");
  if (isAddressEqual(to, contract)) {
    const { functionName, args } = decodeFunctionData({ abi: protocolAbi, data });
    if (functionName === "subscribe" && args[0].id === values.id.toLowerCase()) return "subscribe";
  } else if (to.toLowerCase() === subscription.token.toLowerCase()) {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
    const isOurs = functionName === "approve" && isAddressEqual(args[0], contract);
    const most = BigInt(charge.totalRaw) + BigInt(APPROVAL_PERIODS + dueBeforeToday) * BigInt(requiredAmountRaw);
    if (isOurs && args[1] <= most) return `approve ${args[1]}`;
  }
  return fail("the service returned a transaction that is neither this approve nor this subscribe: nothing is signed");
}

/** Names of the transaction's events, once the chain holds it. */
async function confirm(txHash: string): Promise<string[]> {
  const deadline = Date.now() + CONFIRMED_WITHIN_MS;
  while (Date.now() < deadline) {
    const { status, confirmed, events = [] } = await post("/transactions/status", { txHash }, Status);
    if (status === "reverted") fail(`${txHash} reverted`);
    if (confirmed) return events.map(({ eventName }) => eventName);
    await Bun.sleep(POLL_MS);
  }
  return fail(`${txHash} was not confirmed in time`);
}

async function post<T extends TSchema>(path: string, body: object, schema: T): Promise<Static<T>> {
  const response = await fetch(`${values.api}${path}?chainId=${chainId}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  if (!response.ok) fail(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
  return Value.Parse(schema, answer);
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}
