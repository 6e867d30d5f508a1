import { erc20Abi } from "@dueday/core/abi/erc20";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { decodeRevert } from "@dueday/core/reverts/decodeRevert";
import { isProtocolRevert } from "@dueday/core/reverts/protocolReverts";
import { ownReason } from "@dueday/core/reverts/reasonRevert";
import type { Revert } from "@dueday/core/reverts/revert";
import { asTokenRevert } from "@dueday/core/reverts/tokenRevert";
import {
  type Address,
  concatHex,
  type DecodeFunctionDataReturnType,
  decodeFunctionData,
  type Hex,
  isHex,
  maxUint256,
  numberToHex,
  parseAbi,
} from "viem";
import type { ChainBlock } from "../block/chainBlock";
import { parseBlock } from "../block/parseBlock";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";
import { contractRead } from "../reads/contractRead";
import { expectOpenDays } from "../reads/expectOpenDays";
import { expectToken } from "../reads/expectToken";
import { expectValue, protocolRead } from "../reads/protocolRead";
import { readMany } from "../reads/readMany";
import { readSubscriptions } from "../reads/readSubscriptions";
import { readTokenInfos } from "../reads/readTokenInfos";
import { listsOfDays, readIdLists } from "../remit/state/readDueLists";

export type RevertedCall = {
  contract: Address;
  /** The block of the transaction; the call was repeated on the state of its parent. */
  blockNumber: bigint;
  call: { from: Address; to?: Address | undefined; data: unknown };
};

/** The largest number of due subscriptions whose tokens are read to explain a revert. */
const MOST_DUE = 1_000;

/** The code of a precompiled token on Base (B20): its behaviour is not in its code, so nothing can take its place. */
const PRECOMPILE_CODE = "0xef";

/** An EVM program in the place of a token, which never reverts: transfers return true, everything else 2^256-1. */
const OBEDIENT_TOKEN: Hex = concatHex([
  "0x5f3560e01c", // the selector
  "0x806323b872dd14", // is it transferFrom?
  "0x9063a9059cbb14", // or transfer?
  "0x1715", // 0 for these two, else 1
  "0x5f03600117", // (0 - that) | 1: 1 for these two, else 2^256-1
  "0x5f5260205ff3", // RETURN
]);
const NO_ALLOWANCE_OR_BALANCE = "10";

/**
 * Why a mined transaction reverted. A number counts as the protocol's only where the protocol's state agrees, because a token may
 * revert with any number. Null where that can't be decided.
 */
export async function judgeRevert(client: ChainClient, reverted: RevertedCall, revert: Revert): Promise<Revert | null> {
  const { contract, call } = reverted;
  if (!isProtocolRevert(revert.code)) return revert;
  if (call.to !== contract) return ownReason(revert.code);
  const decoded = decodeCall(call.data);
  if (decoded === null) return revert;
  const isRemit = decoded.functionName === "remit";
  const id = movingId(decoded);
  if (!isRemit && id === null) return revert;
  const parent = await readBlock(client, reverted.blockNumber - 1n);
  if (id === null) return judgeRemit(client, { ...reverted, parent }, revert);
  if (decoded.functionName === "subscribe" && revert.code === NO_ALLOWANCE_OR_BALANCE)
    return judgePayer(client, { contract, parent, id, from: call.from }, revert);
  return judgeCall(client, { contract, parent, call, ids: [id] }, revert);
}

/** With the one function of the admin and the janitor that moves tokens, which the service never calls. */
const callsAbi = [
  ...protocolAbi,
  ...parseAbi([
    "struct Subscription { bytes32 id; uint256 amount; address provider; address token; bool cancelled; uint8 frequency; uint16 dueDay; }",
    "function cleanupCancelledSubscribers(Subscription subscription)",
  ]),
] as const;
type ProtocolCall = DecodeFunctionDataReturnType<typeof callsAbi>;

/** Null for functions that this ABI lacks: they move no tokens. */
function decodeCall(data: unknown): ProtocolCall | null {
  if (!isHex(data)) return null;
  try {
    return decodeFunctionData({ abi: callsAbi, data });
  } catch {
    return null;
  }
}

/** The one subscription whose token a call moves; null for remit(), which may move the tokens of many, and for a call that moves none. */
function movingId({ functionName, args }: ProtocolCall): Hex | null {
  switch (functionName) {
    case "subscribe":
    case "unsubscribe":
    case "unsubscribeByProvider":
    case "cleanupCancelledSubscribers":
      return args[0].id;
    default:
      return null;
  }
}

/** The protocol itself reverts remit() with 6 alone: no day up to today is open, or nothing is due on those that are. */
async function judgeRemit(
  client: ChainClient,
  { contract, blockNumber, call, parent }: RevertedCall & { parent: ChainBlock },
  revert: Revert,
): Promise<Revert | null> {
  const block = await readBlock(client, blockNumber);
  // The parent is of the day before, so the call repeated on it shows nothing about the first block of a day.
  if (dayNumber(block.timestamp) !== dayNumber(parent.timestamp)) return null;
  if (revert.code !== "6") return asTokenRevert(revert);
  const ids = await readDueIds(client, contract, parent);
  return ids.length > MOST_DUE ? null : judgeCall(client, { contract, parent, call, ids }, revert);
}

/** The subscriptions in the due lists of all open days. */
async function readDueIds(client: ChainClient, contract: Address, block: ChainBlock): Promise<readonly Hex[]> {
  const [next] = await readMany(client, [protocolRead(contract, "nextUncheckedDay", [])], block);
  const days = expectOpenDays(expectValue(next, "nextUncheckedDay"), dayNumber(block.timestamp));
  const lists = await readIdLists(client, { contract, lists: [...listsOfDays(days).values()], block, bulk: null });
  return [...new Set(lists.flat())];
}

async function readBlock(client: ChainClient, number: bigint): Promise<ChainBlock> {
  return parseBlock(await client.rpc("eth_getBlockByNumber", [numberToHex(number), false]));
}

/** subscribe() reverts with 10 where allowance or balance is below the amount; where a view of the token reverts, the other value alone decides. */
async function judgePayer(
  client: ChainClient,
  { contract, parent, id, from }: { contract: Address; parent: ChainBlock; id: Hex; from: Address },
  revert: Revert,
): Promise<Revert> {
  const record = (await readSubscriptions(client, { contract, ids: [id], block: parent })).get(id);
  if (record === undefined) return revert;
  const { token: address, amount } = record;
  const view = { address, abi: erc20Abi } as const;
  const [[allowance, balance], tokens] = await Promise.all([
    readMany(
      client,
      [
        contractRead({ ...view, functionName: "allowance", args: [from, contract] }),
        contractRead({ ...view, functionName: "balanceOf", args: [from] }),
      ],
      parent,
    ),
    readTokenInfos(client, { contract, tokens: [address], block: parent }),
  ]);
  const units = toTokenUnits(amount, expectToken(tokens, address).decimals);
  const isCovered = [allowance, balance].every((each) => !each.ok || each.value >= units);
  return isCovered ? asTokenRevert(revert) : revert;
}

/** If the call reverts with the same code even where no token of these subscriptions can revert, the revert is the protocol's. */
async function judgeCall(
  client: ChainClient,
  { contract, parent, call, ids }: Omit<RevertedCall, "blockNumber"> & { parent: ChainBlock; ids: readonly Hex[] },
  revert: Revert,
): Promise<Revert | null> {
  const block = numberToHex(parent.number);
  // Of a Subscription in the calldata, the contract uses only the id.
  const records = await readSubscriptions(client, { contract, ids, block: parent });
  const tokens = [...new Set([...records.values()].map(({ token }) => token))];
  const codes = await Promise.all(tokens.map((token) => client.rpc("eth_getCode", [token, block])));
  const replaced = tokens.filter((_, index) => codes[index] !== "0x" && codes[index] !== PRECOMPILE_CODE);
  const [first] = replaced;
  const isWhole = !codes.includes(PRECOMPILE_CODE);
  if (first === undefined) return isWhole ? revert : null;
  const overrides = Object.fromEntries(replaced.map((token) => [token, { code: OBEDIENT_TOKEN }]));
  // A node that ignores the overrides would repeat the call of the transaction itself.
  if ((await client.rpc("eth_call", [{ to: first, data: "0x" }, block, overrides])) !== numberToHex(maxUint256))
    return null;
  const { from, to, data } = call;
  try {
    // Without the transaction's gas: it may not be enough beyond the point at which the token reverted.
    await client.rpc("eth_call", [{ from, to, data }, block, overrides]);
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    const { code: repeated } = decodeRevert(error.data);
    if (repeated === revert.code) return isWhole ? revert : null;
    // The node does not return reasons.
    if (repeated === "") return null;
  }
  return asTokenRevert(revert);
}
