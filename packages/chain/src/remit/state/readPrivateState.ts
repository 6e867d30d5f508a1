import { saturate } from "@dueday/core/amounts/saturate";
import type { Checkpoint } from "@dueday/core/remit/state";
import {
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
  zeroAddress,
  zeroHash,
} from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { upstreamError } from "../../client/upstreamError";
import { readAdmin } from "../../reads/readAdmin";
import { readAccessedSlots } from "./readAccessedSlots";
import { readStorageWords } from "./readStorageWords";

/** Storage slots of the variables without a view, and the admin whose calls access them. */
export type PrivateSlots = {
  admin: Address;
  /** First of the checkpoint's five words. */
  checkpoint: bigint;
  systemFeeActive: bigint;
  systemFeeReceiver: bigint;
};

/** The variables that decide a remit() and have no view. */
export type PrivateState = { checkpoint: Checkpoint | null; systemFeeActive: boolean; systemFeeReceiver: Address };

type Source = { contract: Address; block: ChainBlock };

const settersAbi = parseAbi([
  "function setPageStart((bytes32 id, uint256 subscriberIndex, uint256 subscriptionIndex, uint256 frequency, bool initialized) start)",
  "function systemFeeActivate(bool active)",
  "function changeSysFeeReceiver(address receiver)",
]);

const CHECKPOINT_WORDS = 5n;
/** Slots that are tried where the node does not list those that a call accesses: a contract declares its variables among the first. */
const TRIED_SLOTS = Array.from({ length: 128 }, (_, slot) => BigInt(slot));

/**
 * Finds the slots from what the admin's setters (protocol part 2) access: nothing is assumed about the layout except that the
 * checkpoint's five words are consecutive. Null without an admin, or on a node that shows no accesses. Throws UPSTREAM_ERROR where
 * the contract's answer is broken.
 */
export async function findPrivateSlots(client: ChainClient, source: Source): Promise<PrivateSlots | null> {
  const { contract, block } = source;
  const admin = await readAdmin(client, { contract, block });
  if (admin === null) return null;
  const start = { id: zeroHash, subscriberIndex: 1n, subscriptionIndex: 1n, frequency: 0n, initialized: true };
  const [page, fee, receiver] = await Promise.all([
    trace(client, source, admin, setPageStartCall(start), TRIED_SLOTS),
    trace(client, source, admin, activateCall(true), TRIED_SLOTS),
    trace(client, source, admin, receiverCall(contract), TRIED_SLOTS),
  ]);
  if (page === null || fee === null || receiver === null) return null;
  const checkpoint = [...page.slots].find((slot) => isRun(page.slots, slot));
  // A slot that the checkpoint's setter accesses too belongs to the role check.
  const systemFeeActive = [...fee.slots].find((slot) => !page.slots.has(slot));
  const systemFeeReceiver = [...receiver.slots].find((slot) => !page.slots.has(slot));
  if (checkpoint === undefined || systemFeeActive === undefined || systemFeeReceiver === undefined) return null;
  return { admin, checkpoint, systemFeeActive, systemFeeReceiver };
}

/** Reads the private state at `slots`. Rejects with RpcRefusal or ServiceError. */
export async function readPrivateState(
  client: ChainClient,
  slots: PrivateSlots,
  source: Source,
): Promise<PrivateState> {
  const { contract, block } = source;
  const words = Array.from({ length: Number(CHECKPOINT_WORDS) }, (_, index) => slots.checkpoint + BigInt(index));
  const [[id = 0n, subscriberIndex = 0n, subscriptionIndex = 0n, frequency = 0n, initialized = 0n], systemFeeActive] =
    await Promise.all([
      readStorageWords(client, { contract, slots: words, block }),
      readFeeActive(client, slots, source),
    ]);
  return {
    checkpoint:
      (initialized & 0xffn) === 0n
        ? null
        : {
            id: numberToHex(id, { size: 32 }),
            subscriberIndex: saturate(subscriberIndex),
            subscriptionIndex: saturate(subscriptionIndex),
            frequency: saturate(frequency),
          },
    systemFeeActive,
    systemFeeReceiver: systemFeeActive ? await readFeeReceiver(client, slots, source) : zeroAddress,
  };
}

/**
 * The flag may share its word with other variables. Then its value follows from gas: writing the stored value costs 100, changing it thousands.
 * A word that holds nothing else is read directly, because clearing it refunds gas.
 */
async function readFeeActive(client: ChainClient, slots: PrivateSlots, source: Source): Promise<boolean> {
  const [[word = 0n], on, off] = await Promise.all([
    readStorageWords(client, { ...source, slots: [slots.systemFeeActive] }),
    trace(client, source, slots.admin, activateCall(true)),
    trace(client, source, slots.admin, activateCall(false)),
  ]);
  if (word <= 1n) return word === 1n;
  // The setter worked when the slots were found: the node has failed, or there is another admin.
  if (on === null || off === null) throw upstreamError({ kind: "node_error" }, "eth_createAccessList");
  return on.gasUsed < off.gasUsed;
}

/** Of all addresses that the word may contain, the one that is cheapest to write. */
async function readFeeReceiver(client: ChainClient, slots: PrivateSlots, source: Source): Promise<Address> {
  const [word = 0n] = await readStorageWords(client, { ...source, slots: [slots.systemFeeReceiver] });
  const candidates = Array.from({ length: 13 }, (_, offset) =>
    getAddress(numberToHex((word >> BigInt(8 * offset)) & (2n ** 160n - 1n), { size: 20 })),
  );
  const costs = await Promise.all(
    candidates.map(async (receiver) => ({
      receiver,
      gas: (await trace(client, source, slots.admin, receiverCall(receiver)))?.gasUsed,
    })),
  );
  // The setter may revert for an address that is another part of the word than the receiver.
  const known = costs.flatMap(({ receiver, gas }) => (gas === undefined ? [] : [{ receiver, gas }]));
  const [cheapest] = known.sort((a, b) => Number(a.gas - b.gas));
  if (cheapest === undefined) throw upstreamError({ kind: "node_error" }, "eth_createAccessList");
  return cheapest.receiver;
}

function trace(
  client: ChainClient,
  source: Source,
  from: Address,
  data: `0x${string}`,
  candidates: readonly bigint[] = [],
) {
  return readAccessedSlots(client, { ...source, from, data, candidates });
}

type PageStart = {
  id: Hex;
  subscriberIndex: bigint;
  subscriptionIndex: bigint;
  frequency: bigint;
  initialized: boolean;
};

function setPageStartCall(start: PageStart) {
  return encodeFunctionData({ abi: settersAbi, functionName: "setPageStart", args: [start] });
}

function activateCall(active: boolean) {
  return encodeFunctionData({ abi: settersAbi, functionName: "systemFeeActivate", args: [active] });
}

function receiverCall(receiver: Address) {
  return encodeFunctionData({ abi: settersAbi, functionName: "changeSysFeeReceiver", args: [receiver] });
}

function isRun(slots: ReadonlySet<bigint>, first: bigint): boolean {
  for (let offset = 0n; offset < CHECKPOINT_WORDS; offset++) if (!slots.has(first + offset)) return false;
  return true;
}
