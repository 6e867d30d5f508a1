import { ServiceError } from "@dueday/core/errors";
import { type Address, encodeAbiParameters, getAddress, type Hex, keccak256, numberToHex } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { protocolRead, valueOrNull } from "../../reads/protocolRead";
import { readMany } from "../../reads/readMany";
import { readAccessedSlots } from "./readAccessedSlots";
import { readStorageWords, wordToAddress } from "./readStorageWords";

/** Slots of the two mappings from an id to its set of addresses (OpenZeppelin EnumerableSet). */
export type SetSlots = { subscribers: bigint; unsubscribed: bigint };

/** The largest number of entries of one set that are read: each takes a request for its slot. */
const LONGEST_SET = 100_000n;

type Source = { contract: Address; block: ChainBlock };

/** Variables that are tried: a contract declares its mappings among its first ones. */
const SLOTS_TRIED = 200n;

/**
 * Finds the mappings from the slots that views access: the length of the unsubscribed list, and the provider's rows, which contain
 * the size of each set. `id` needs a subscriber. Null where the slots can't be found.
 */
export async function findSetSlots(
  client: ChainClient,
  { contract, block, id, provider }: Source & { id: Hex; provider: Address },
): Promise<SetSlots | null> {
  const list = protocolRead(contract, "getUnsubscribedLength", [id]);
  const rows = protocolRead(contract, "getAccountSubscriptions", [false, provider]);
  const all = Array.from({ length: Number(SLOTS_TRIED) }, (_, slot) => BigInt(slot));
  const tried = all.map((slot) => setSlot(id, slot));
  const [ofList, ofRows, [views]] = await Promise.all([
    readAccessedSlots(client, { contract, data: list.data, block, candidates: tried }),
    readAccessedSlots(client, { contract, data: rows.data, block, candidates: tried }),
    readMany(client, [rows], block),
  ]);
  const size = valueOrNull(views, "getAccountSubscriptions")?.find(
    ({ subscription }) => subscription.id === id,
  )?.totalSubscribers;
  if (ofList === null || ofRows === null || size === undefined) return null;
  const unsubscribed = all.find((slot) => ofList.slots.has(setSlot(id, slot)));
  const candidates = all.filter((slot) => ofRows.slots.has(setSlot(id, slot)));
  const words = await readStorageWords(client, { contract, slots: candidates.map((slot) => setSlot(id, slot)), block });
  const subscribers = candidates.find((_, index) => words[index] === size);
  return subscribers === undefined || unsubscribed === undefined ? null : { subscribers, unsubscribed };
}

/** Both sets of an id in their order. Null where the slots do not hold sets of addresses. */
export async function readSubscriberSets(
  client: ChainClient,
  slots: SetSlots,
  source: Source & { id: Hex },
): Promise<{ subscribers: Address[]; unsubscribed: Address[] } | null> {
  const [subscribers, unsubscribed] = await Promise.all([
    readSet(client, slots.subscribers, source),
    readSet(client, slots.unsubscribed, source),
  ]);
  return subscribers === null || unsubscribed === null ? null : { subscribers, unsubscribed };
}

async function readSet(client: ChainClient, mapping: bigint, { contract, block, id }: Source & { id: Hex }) {
  const base = setSlot(id, mapping);
  const [length = 0n] = await readStorageWords(client, { contract, slots: [base], block });
  if (length > LONGEST_SET) {
    throw new ServiceError(
      "UPSTREAM_ERROR",
      `A set of subscribers has ${length} entries, more than the ${LONGEST_SET} that are read; the operator has to check the chain's node`,
      { details: { id }, retryable: false },
    );
  }
  const first = BigInt(keccak256(numberToHex(base, { size: 32 })));
  const slots = Array.from({ length: Number(length) }, (_, index) => first + BigInt(index));
  const addresses: Address[] = [];
  for (const word of await readStorageWords(client, { contract, slots, block })) {
    const address = wordToAddress(word);
    if (address === null) return null;
    addresses.push(getAddress(address));
  }
  return addresses;
}

/** Where the array of an id's set begins: its length is there. */
function setSlot(id: Hex, mapping: bigint): bigint {
  return BigInt(keccak256(encodeAbiParameters([{ type: "bytes32" }, { type: "uint256" }], [id, mapping])));
}
