import { erc20Abi } from "@dueday/core/abi/erc20";
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  isHex,
  keccak256,
  numberToHex,
  stringToHex,
} from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainBlock } from "../block/chainBlock";
import { asServiceError } from "../client/asServiceError";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";

export type AllowanceSlotParameters = { token: Address; owner: Address; spender: Address; block: ChainBlock };

/** Positions of state variables that are tried. Even after inherited variables and gaps most allowances are below. */
const POSITIONS = 64n;
/** Where OpenZeppelin's upgradeable ERC-20 keeps its allowances: the second field of its namespace (ERC-7201). */
const NAMESPACED = namespaceRoot("openzeppelin.storage.ERC20") + 1n;
/** The i-th slot is set to this plus i: a value that no real allowance has. */
const MARKER = 0x5eed_0000_0000_0000_0000n;

/**
 * The storage slot of `token` that holds the allowance of `owner` for `spender`; null where it is in none of the usual places.
 *
 * All candidates are overridden at once, each with a different number: the number that allowance() returns identifies the slot.
 * One eth_call for any token.
 */
export async function findAllowanceSlot(
  client: ChainClient,
  { token, owner, spender, block }: AllowanceSlotParameters,
): Promise<Hex | null> {
  const slots = candidates(owner, spender);
  const stateDiff = Object.fromEntries(
    slots.map((slot, index) => [slot, numberToHex(MARKER + BigInt(index), { size: 32 })]),
  );
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args: [owner, spender] });
  try {
    const call = [{ to: token, data }, blockReference(block), { [token]: { stateDiff } }];
    const answer = await client.rpc("eth_call", call);
    if (!isHex(answer) || answer === "0x") return null;
    return slots[Number(BigInt(answer) - MARKER)] ?? null;
  } catch (error) {
    // A node without state overrides, or a token that reverts with changed storage.
    if (error instanceof RpcRefusal) return null;
    throw asServiceError(error);
  }
}

function candidates(owner: Address, spender: Address): Hex[] {
  const positions = [...Array.from({ length: Number(POSITIONS) }, (_, index) => BigInt(index)), NAMESPACED];
  return positions.flatMap((position) => [
    solidityEntry(spender, solidityEntry(owner, numberToHex(position, { size: 32 }))),
    vyperEntry(spender, vyperEntry(owner, numberToHex(position, { size: 32 }))),
  ]);
}

/** Slot of a mapping's entry as Solidity lays it out: the key before the mapping's own slot. */
function solidityEntry(key: Address, slot: Hex): Hex {
  return keccak256(encodeAbiParameters([{ type: "address" }, { type: "bytes32" }], [key, slot]));
}

/** The same as Vyper lays it out: the key after the slot. */
function vyperEntry(key: Address, slot: Hex): Hex {
  return keccak256(encodeAbiParameters([{ type: "bytes32" }, { type: "address" }], [slot, key]));
}

/** Root of an ERC-7201 namespace: keccak256(keccak256(id) - 1), its last byte cleared. */
function namespaceRoot(id: string): bigint {
  const hashed = BigInt(keccak256(stringToHex(id))) - 1n;
  return BigInt(keccak256(numberToHex(hashed, { size: 32 }))) & ~0xffn;
}
