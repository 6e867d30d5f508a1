import { protocolAbi } from "@dueday/core/abi/protocol";
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
  getAddress,
  type Hex,
  isHex,
  numberToHex,
} from "viem";
import type { ChainBlock } from "../block/chainBlock";
import { parseBlock } from "../block/parseBlock";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";
import { expectOpenDays } from "../reads/expectOpenDays";
import { expectValue, protocolRead } from "../reads/protocolRead";
import { readMany } from "../reads/readMany";
import { readSubscriptions } from "../reads/readSubscriptions";
import { listsOfDays, readIdLists } from "../remit/state/readDueLists";

export type RevertedCall = {
  contract: Address;
  /** The block of the transaction; the call was repeated on the state of its parent. */
  blockNumber: bigint;
  call: { from: Address; to?: Address | undefined; data: unknown };
};

/** The most due subscriptions whose tokens are read to explain a revert. */
const MOST_DUE = 200;

/** The code of a precompiled token on Base. */
const PRECOMPILE_CODE = "0xef";

/** Unused addresses, each of which has the code of a token for the length of one call. */
function originalOf(index: number): Address {
  return getAddress(numberToHex(0xd0e04n + BigInt(index), { size: 20 }));
}

/** An EVM program in the place of a token: transfers succeed without an effect, everything else is done by the code at `original`. */
function workingTransfers(original: Address): Hex {
  return concatHex([
    "0x5f3560e01c", // the selector
    "0x806323b872dd14604557", // transferFrom: JUMPI true
    "0x63a9059cbb14604557", // transfer: JUMPI true
    "0x365f5f37", // the input to memory
    concatHex(["0x5f5f365f73", original, "0x5af4"]), // DELEGATECALL
    "0x3d5f5f3e604157", // the output to memory; JUMPI return
    "0x3d5ffd", // REVERT
    "0x5b3d5ff3", // JUMPDEST return
    "0x5b60015f5260205ff3", // JUMPDEST true
  ]);
}

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
  if (decoded.functionName === "remit") return judgeRemit(client, reverted, revert);
  const id = movingId(decoded);
  return id === null ? revert : judgeCall(client, { ...reverted, ids: [id] }, revert);
}

type ProtocolCall = DecodeFunctionDataReturnType<typeof protocolAbi>;

/** Null for functions that this ABI lacks, as those of the admin and the janitor: their reverts count as the protocol's. */
function decodeCall(data: unknown): ProtocolCall | null {
  if (!isHex(data)) return null;
  try {
    return decodeFunctionData({ abi: protocolAbi, data });
  } catch {
    return null;
  }
}

/** The subscription whose token a call moves; null for a call that moves none. */
function movingId({ functionName, args }: ProtocolCall): Hex | null {
  switch (functionName) {
    case "subscribe":
    case "unsubscribe":
    case "unsubscribeByProvider":
      return args[0].id;
    default:
      return null;
  }
}

/** The protocol itself reverts remit() with 6 alone: no day up to today is open, or nothing is due on those that are. */
async function judgeRemit(client: ChainClient, reverted: RevertedCall, revert: Revert): Promise<Revert | null> {
  const { contract, blockNumber } = reverted;
  const [block, parent] = await Promise.all([readBlock(client, blockNumber), readBlock(client, blockNumber - 1n)]);
  // The parent is of the day before, so the call repeated on it shows nothing about the first block of a day.
  if (dayNumber(block.timestamp) !== dayNumber(parent.timestamp)) return null;
  if (revert.code !== "6") return asTokenRevert(revert);
  const ids = await readDueIds(client, contract, parent);
  return ids.length > MOST_DUE ? null : judgeCall(client, { ...reverted, ids }, revert);
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

/** If the call reverts with the same code even where all transfers of these subscriptions' tokens succeed, the revert is the protocol's. */
async function judgeCall(
  client: ChainClient,
  { contract, blockNumber, call, ids }: RevertedCall & { ids: readonly Hex[] },
  revert: Revert,
): Promise<Revert | null> {
  const block = await readBlock(client, blockNumber - 1n);
  const parent = numberToHex(block.number);
  // Of a Subscription in the calldata, the contract uses only the id.
  const records = await readSubscriptions(client, { contract, ids, block });
  const tokens = [...new Set([...records.values()].map(({ token }) => token))];
  const codes = await Promise.all(tokens.map((token) => client.rpc("eth_getCode", [token, parent])));
  const overrides: Record<Address, { code: Hex }> = {};
  for (const [index, token] of tokens.entries()) {
    const code = codes[index];
    if (!isHex(code) || code === "0x") continue;
    // A token of the chain itself (B20): its behaviour is not in its code, so nothing can take its place.
    if (code === PRECOMPILE_CODE) return null;
    overrides[token] = { code: workingTransfers(originalOf(index)) };
    overrides[originalOf(index)] = { code };
  }
  // No token has code, so none reverted.
  if (Object.keys(overrides).length === 0) return revert;
  try {
    await client.rpc("eth_call", [call, parent, overrides]);
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    const { code: repeated } = decodeRevert(error.data);
    if (repeated === revert.code) return revert;
    // The node takes no state overrides, or does not return reasons.
    if (repeated === "") return null;
  }
  return asTokenRevert(revert);
}
