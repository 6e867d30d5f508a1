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
import { readSetSizes } from "../reads/readSetSizes";
import { readSubscriptions } from "../reads/readSubscriptions";
import { readDueLists } from "../remit/state/readDueLists";

export type RevertedCall = {
  contract: Address;
  /** The block of the transaction; the call was repeated on the state of its parent. */
  blockNumber: bigint;
  call: { from: Address; to?: Address | undefined; data: unknown };
};

/** The most subscriptions whose subscribers are counted to explain a revert. */
const MOST_SETS = 200;

/** The code of a precompiled token on Base. */
const PRECOMPILE_CODE = "0xef";

/** An unused address that has the token's code for the length of one call. */
const ORIGINAL: Address = "0x00000000000000000000000000000000000d0e04";

/** An EVM program in the place of a token: transfers succeed without an effect, everything else is the token's. */
const WORKING_TRANSFERS: Hex = concatHex([
  "0x5f3560e01c", // the selector
  "0x806323b872dd14604557", // transferFrom: JUMPI true
  "0x63a9059cbb14604557", // transfer: JUMPI true
  "0x365f5f37", // the input to memory
  concatHex(["0x5f5f365f73", ORIGINAL, "0x5af4"]), // DELEGATECALL
  "0x3d5f5f3e604157", // the output to memory; JUMPI return
  "0x3d5ffd", // REVERT
  "0x5b3d5ff3", // JUMPDEST return
  "0x5b60015f5260205ff3", // JUMPDEST true
]);

/**
 * Why a mined transaction reverted. A number counts as the protocol's only where the protocol's state agrees, because a token may
 * revert with any number. Null where that can't be decided.
 */
export async function judgeRevert(client: ChainClient, reverted: RevertedCall, revert: Revert): Promise<Revert | null> {
  const { contract, call } = reverted;
  if (!isProtocolRevert(revert.code)) return revert;
  if (call.to !== contract) return ownReason(revert.code);
  const decoded = decodeCall(call.data);
  if (decoded?.functionName === "remit") return judgeRemit(client, reverted, revert);
  const token = decoded === null ? null : await tokenOf(client, reverted, decoded);
  return token === null ? revert : judgeTokenCall(client, { ...reverted, token }, revert);
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

/** The token that a call moves; null for a call that moves none. Of a Subscription in the calldata, the contract uses only the id. */
async function tokenOf(
  client: ChainClient,
  { contract, blockNumber }: RevertedCall,
  { functionName, args }: ProtocolCall,
): Promise<Address | null> {
  switch (functionName) {
    case "createSubscription":
      return args[1];
    case "subscribe":
    case "unsubscribe":
    case "unsubscribeByProvider":
    case "cancelSubscription": {
      const block = await readBlock(client, blockNumber - 1n);
      if (block === undefined) return null;
      const [{ id }] = args;
      return (await readSubscriptions(client, { contract, ids: [id], block })).get(id)?.token ?? null;
    }
    default:
      return null;
  }
}

async function readBlock(client: ChainClient, number: bigint): Promise<ChainBlock | undefined> {
  return parseBlock(await client.rpc("eth_getBlockByNumber", [numberToHex(number), false]));
}

/** The protocol itself reverts remit() with 6 alone: no day up to today is open, or nothing is due on those that are. */
async function judgeRemit(
  client: ChainClient,
  { contract, blockNumber }: RevertedCall,
  revert: Revert,
): Promise<Revert | null> {
  const [block, parent] = await Promise.all([readBlock(client, blockNumber), readBlock(client, blockNumber - 1n)]);
  if (block === undefined || parent === undefined) return null;
  // The parent is of the day before, so the call repeated on it shows nothing about the first block of a day.
  if (dayNumber(block.timestamp) !== dayNumber(parent.timestamp)) return null;
  if (revert.code !== "6") return asTokenRevert(revert);
  const isIdle = await hasNothingDue(client, contract, parent);
  if (isIdle === null) return null;
  return isIdle ? revert : asTokenRevert(revert);
}

/** Whether every list of the open days is empty, or has only subscriptions without subscribers. Null where that can't be decided. */
async function hasNothingDue(client: ChainClient, contract: Address, block: ChainBlock): Promise<boolean | null> {
  const [next] = await readMany(client, [protocolRead(contract, "nextUncheckedDay", [])], block);
  const days = expectOpenDays(expectValue(next, "nextUncheckedDay"), dayNumber(block.timestamp));
  const listsOf = await readDueLists(client, { contract, days, block });
  const due = new Set(days.flatMap((day) => listsOf(day).flatMap(({ ids }) => ids)));
  const ids = [...due].slice(0, MOST_SETS);
  const records = await readSubscriptions(client, { contract, ids, block });
  const sizes = await readSetSizes(client, { contract, subscriptions: [...records.values()], block });
  if (sizes.some(({ setSize }) => setSize !== null && setSize > 0)) return false;
  return due.size > ids.length || sizes.some(({ setSize }) => setSize === null) ? null : true;
}

/** If the call reverts with the same code even where all transfers succeed, the revert is the protocol's. */
async function judgeTokenCall(
  client: ChainClient,
  { blockNumber, call, token }: RevertedCall & { token: Address },
  revert: Revert,
): Promise<Revert | null> {
  const parent = numberToHex(blockNumber - 1n);
  const code = await client.rpc("eth_getCode", [token, parent]);
  if (!isHex(code) || code === "0x") return revert;
  // A token of the chain itself (B20): its behaviour is not in its code, so nothing can take its place.
  if (code === PRECOMPILE_CODE) return null;
  try {
    await client.rpc("eth_call", [call, parent, { [token]: { code: WORKING_TRANSFERS }, [ORIGINAL]: { code } }]);
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    const { code: repeated } = decodeRevert(error.data);
    if (repeated === revert.code) return revert;
    // The node takes no state overrides, or does not return reasons.
    if (repeated === "") return null;
  }
  return asTokenRevert(revert);
}
