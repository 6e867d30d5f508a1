import { ServiceError } from "@dueday/core/errors";
import { type Address, encodeAbiParameters, type Hex, keccak256, numberToHex, size } from "viem";
import type { ChainBlock } from "../../block/chainBlock";
import type { ChainClient } from "../../client/createChainClient";
import { mapCalls } from "../../client/mapCalls";
import { protocolRead } from "../../reads/protocolRead";
import { readAccessedSlots } from "./readAccessedSlots";
import { readStorageWords } from "./readStorageWords";
import { runProgram } from "./runProgram";
import { WORDS_PROGRAM } from "./wordsProgram";

/** The largest number of entries of one list that are read. */
const LONGEST_LIST = 2_000_000n;
/** Words of one eth_call: each takes 2,100 gas, of the 50 million that nodes allow. */
const CHUNK = 10_000;
/** Calls under way at a time: an answer has 640 kB. */
const AT_ONCE = 16;
/** Variables that are tried: a contract declares its mappings among its first ones. */
const SLOTS_TRIED = 200;
/** A weekday that no subscription can have: its list is empty. */
const UNUSED = { frequency: 0, dueDay: 8 };
const DIGITS = 64;

export type ListName = { frequency: number; dueDay: number };

/**
 * A due list that is too long for one call of getIdByTime: from the contract's storage, 10,000 ids in one eth_call, by a program that the
 * request puts in the contract's place. The position of the lists follows from the slot that the view of an empty list reads. Null where the node
 * shows no slots or takes no such program.
 */
export async function readLongList(
  client: ChainClient,
  { contract, list, block }: { contract: Address; list: ListName; block: ChainBlock },
): Promise<Hex[] | null> {
  const slotOf = await findLists(client, { contract, block });
  if (slotOf === null) return null;
  const base = slotOf(list);
  const [length = 0n] = await readStorageWords(client, { contract, slots: [base], block });
  if (length > LONGEST_LIST) {
    throw new ServiceError(
      "UPSTREAM_ERROR",
      `A due list has ${length} entries, more than the ${LONGEST_LIST} that are read; the operator has to check the chain's node`,
      { details: { ...list }, retryable: false },
    );
  }
  const first = BigInt(keccak256(numberToHex(base, { size: 32 })));
  const starts = Array.from({ length: Math.ceil(Number(length) / CHUNK) }, (_, index) => index * CHUNK);
  const ids: Hex[] = new Array(Number(length));
  const wereRead = await mapCalls(
    starts,
    async (start) => {
      const count = Math.min(CHUNK, Number(length) - start);
      const words = await readWords(client, { contract, first: first + BigInt(start), count, block });
      if (words === null) return false;
      for (let index = 0; index < count; index++) ids[start + index] = wordAt(words, index);
      return true;
    },
    AT_ONCE,
  );
  return wereRead.every(Boolean) ? ids : null;
}

/** Where the list of a due day begins; null where that is not found. */
async function findLists(client: ChainClient, source: { contract: Address; block: ChainBlock }) {
  const { frequency, dueDay } = UNUSED;
  const { data } = protocolRead(source.contract, "getIdByTime", [BigInt(frequency), dueDay]);
  const layouts = Array.from({ length: SLOTS_TRIED }, (_, slot) => [byFrequency(slot), byDueDay(slot)]).flat();
  const accessed = await readAccessedSlots(client, { ...source, data, candidates: layouts.map((of) => of(UNUSED)) });
  return layouts.find((slotOf) => accessed?.slots.has(slotOf(UNUSED))) ?? null;
}

function byFrequency(slot: number) {
  return ({ frequency, dueDay }: ListName) => entryOf(dueDay, entryOf(frequency, BigInt(slot)));
}

function byDueDay(slot: number) {
  return ({ frequency, dueDay }: ListName) => entryOf(frequency, entryOf(dueDay, BigInt(slot)));
}

/** The slot of a mapping's value. */
function entryOf(key: number, slot: bigint): bigint {
  return BigInt(keccak256(encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [BigInt(key), slot])));
}

type Words = { contract: Address; first: bigint; count: number; block: ChainBlock };

/** Null where the node does not run the program. */
async function readWords(client: ChainClient, { contract, first, count, block }: Words): Promise<Uint8Array | null> {
  const data =
    `0x${(first % 2n ** 256n).toString(16).padStart(DIGITS, "0")}${count.toString(16).padStart(DIGITS, "0")}` as const;
  const answer = await runProgram(client, { at: contract, code: WORDS_PROGRAM, data, block });
  return answer !== null && size(answer) === count * 32 ? Uint8Array.fromHex(answer.slice(2)) : null;
}

/** Made from bytes: a substring of the answer would keep the whole answer in memory. */
function wordAt(words: Uint8Array, index: number): Hex {
  return `0x${words.subarray(32 * index, 32 * (index + 1)).toHex()}`;
}
