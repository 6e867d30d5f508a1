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
import { parseBlock } from "../block/parseBlock";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";
import { expectValue, protocolRead } from "../reads/protocolRead";
import { readMany } from "../reads/readMany";

export type RevertedCall = {
  contract: Address;
  /** The block of the transaction; the call was repeated on the state of its parent. */
  blockNumber: bigint;
  call: { from: Address; to?: Address | undefined; data: unknown };
};

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
  const { isRemit, token } = describeCall(call.data);
  if (isRemit) return judgeRemit(client, reverted, revert);
  return token === null ? revert : judgeTokenCall(client, { ...reverted, token }, revert);
}

function describeCall(data: unknown): { isRemit: boolean; token: Address | null } {
  if (!isHex(data)) return { isRemit: false, token: null };
  try {
    const call = decodeFunctionData({ abi: protocolAbi, data });
    return { isRemit: call.functionName === "remit", token: tokenOf(call) };
  } catch {
    // A function that only the protocol's admins call: no such function calls a token.
    return { isRemit: false, token: null };
  }
}

function tokenOf({ functionName, args }: DecodeFunctionDataReturnType<typeof protocolAbi>): Address | null {
  switch (functionName) {
    case "createSubscription":
      return args[1];
    case "subscribe":
    case "unsubscribe":
    case "unsubscribeByProvider":
    case "cancelSubscription":
      return args[0].token;
    default:
      return null;
  }
}

/** The protocol itself reverts remit() with 6 alone: no day up to today is open. */
async function judgeRemit(
  client: ChainClient,
  { contract, blockNumber }: RevertedCall,
  revert: Revert,
): Promise<Revert | null> {
  const [block, parent] = await Promise.all(
    [blockNumber, blockNumber - 1n].map(async (number) =>
      parseBlock(await client.rpc("eth_getBlockByNumber", [numberToHex(number), false])),
    ),
  );
  if (block === undefined || parent === undefined) return null;
  // The parent is of the day before, so the call repeated on it shows nothing about the first block of a day.
  if (dayNumber(block.timestamp) !== dayNumber(parent.timestamp)) return null;
  const [next] = await readMany(client, [protocolRead(contract, "nextUncheckedDay", [])], parent);
  const isCaughtUp = expectValue(next, "nextUncheckedDay") > dayNumber(parent.timestamp);
  return revert.code === "6" && isCaughtUp ? revert : asTokenRevert(revert);
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
