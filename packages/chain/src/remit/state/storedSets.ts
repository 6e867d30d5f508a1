import { type Address, encodeAbiParameters, getAddress, type Hex, keccak256, numberToHex } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { protocolRead } from "../../reads/protocolRead";
import { readMany } from "../../reads/readMany";
import { readWords, wordToAddress } from "./readWords";
import { traceSlots } from "./traceSlots";

/** Slots of the two mappings from an id to its set of addresses (OpenZeppelin EnumerableSet). */
export type SetSlots = { subscribers: bigint; unsubscribed: bigint };

type Source = { contract: Address; block: ChainBlock };

/** A contract has its mappings among its first variables. */
const SLOTS_TRIED = 200n;

/**
 * Finds the mappings by asking what views touch: the length of the unsubscribed list, and the provider's rows, which hold the
 * size of each set. `id` needs a subscriber. Null where the node can't tell.
 */
export async function findSetSlots(
  client: ChainClient,
  { contract, block, id, provider }: Source & { id: Hex; provider: Address },
): Promise<SetSlots | null> {
  const list = protocolRead(contract, "getUnsubscribedLength", [id]);
  const rows = protocolRead(contract, "getAccountSubscriptions", [false, provider]);
  const [ofList, ofRows, [views]] = await Promise.all([
    traceSlots(client, { contract, data: list.data, block }),
    traceSlots(client, { contract, data: rows.data, block }),
    readMany(client, [rows], block),
  ]);
  const size = views.ok ? views.value.find(({ subscription }) => subscription.id === id)?.totalSubscribers : undefined;
  if (ofList === null || ofRows === null || size === undefined) return null;
  const all = Array.from({ length: Number(SLOTS_TRIED) }, (_, slot) => BigInt(slot));
  const unsubscribed = all.find((slot) => ofList.slots.has(setSlot(id, slot)));
  const candidates = all.filter((slot) => ofRows.slots.has(setSlot(id, slot)));
  const words = await readWords(client, { contract, slots: candidates.map((slot) => setSlot(id, slot)), block });
  const subscribers = candidates.find((_, index) => words[index] === size);
  return subscribers === undefined || unsubscribed === undefined ? null : { subscribers, unsubscribed };
}

/** Both sets of an id in their order. Null where what lies there is no set of addresses. */
export async function readStoredSets(
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
  const [length = 0n] = await readWords(client, { contract, slots: [base], block });
  const first = BigInt(keccak256(numberToHex(base, { size: 32 })));
  const slots = Array.from({ length: Number(length) }, (_, index) => first + BigInt(index));
  const addresses: Address[] = [];
  for (const word of await readWords(client, { contract, slots, block })) {
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
