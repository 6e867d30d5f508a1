import { FREQUENCIES, lastDueDay } from "@dueday/core/calendar/frequency";
import { encodeAbiParameters, type Hex, keccak256, toFunctionSelector } from "viem";
import type { ChainSettings } from "./chainSettings";
import type { Book } from "./createBook";
import { word, wordIn } from "./words";

/** Slots of the private variables, as in the devnet's contract: one word has the next day, the system fee's switch and its receiver. */
const [SHARED, CHECKPOINT, DUE_LISTS] = [4, 8, 13];
const CHECKPOINT_WORDS = 5;
const CALL_GAS = 50_000;
/** What it costs to change a word, beyond writing the same value again. */
const CHANGE_GAS = 2_900;

const GET_ID_BY_TIME = toFunctionSelector("getIdByTime(uint256,uint16)");
const SET_PAGE_START = toFunctionSelector("setPageStart((bytes32,uint256,uint256,uint256,bool))");
const ACTIVATE = toFunctionSelector("systemFeeActivate(bool)");
const SET_RECEIVER = toFunctionSelector("changeSysFeeReceiver(address)");

/** Slots and gas of a call: of the admin's setters and an empty due list, all that the client asks for. The system fee is off. */
export function accessList(to: string, data: string): object {
  const selector = data.slice(0, 10);
  const slots = selector === GET_ID_BY_TIME ? [lengthSlot(argument(data, 0), argument(data, 1))] : slotsOf(selector);
  const isChange = selector === ACTIVATE && data.endsWith("1");
  return {
    accessList: slots.length === 0 ? [] : [{ address: to, storageKeys: slots.map((slot) => `0x${word(slot)}`) }],
    gasUsed: `0x${(CALL_GAS + (isChange ? CHANGE_GAS : 0)).toString(16)}`,
  };
}

function slotsOf(selector: string): (number | bigint)[] {
  if (selector === SET_PAGE_START) return Array.from({ length: CHECKPOINT_WORDS }, (_, index) => CHECKPOINT + index);
  return selector === ACTIVATE || selector === SET_RECEIVER ? [SHARED] : [];
}

type Source = { book: Book; settings: ChainSettings; block: number };

/** The word in a slot of a private variable, or of the length of a due list: there is no checkpoint. */
export function storageWord({ book, settings: { nextUncheckedDay, admin }, block }: Source, slot: bigint): Hex {
  const list = listsByLength.get(slot);
  if (list !== undefined) return `0x${word(book.dueList(list.frequency, list.dueDay, block).length)}`;
  const receiver = BigInt(admin) << 48n;
  return `0x${word(slot === BigInt(SHARED) ? receiver | BigInt(nextUncheckedDay) : 0n)}`;
}

/** `WORDS_PROGRAM` in a due list: the slot of the first requested word, and the count of words. */
export function readListWords({ book, block }: Source, data: string): Hex {
  const [slot, count] = [BigInt(`0x${wordIn(data, 0, 2)}`), Number(`0x${wordIn(data, 1, 2)}`)];
  for (const list of listsByLength.values()) {
    const { length, at } = book.dueList(list.frequency, list.dueDay, block);
    const start = Number(slot - list.first);
    if (slot < list.first || start >= length) continue;
    const ids = Array.from({ length: count }, (_, index) => book.idAt(at(start + index)).slice(2));
    return `0x${ids.join("")}`;
  }
  return `0x${word(0).repeat(count)}`;
}

/** Every due list by the slot of its length, with that of its first id. */
const listsByLength = new Map(
  FREQUENCIES.flatMap((frequency) =>
    Array.from({ length: lastDueDay(frequency) }, (_, index) => {
      const slot = lengthSlot(BigInt(frequency), BigInt(index + 1));
      return [slot, { frequency, dueDay: index + 1, first: BigInt(keccak256(`0x${word(slot)}`)) }] as const;
    }),
  ),
);

function lengthSlot(frequency: bigint, dueDay: bigint): bigint {
  return entryOf(dueDay, entryOf(frequency, BigInt(DUE_LISTS)));
}

function entryOf(key: bigint, slot: bigint): bigint {
  return BigInt(keccak256(encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [key, slot])));
}

function argument(data: string, index: number): bigint {
  return BigInt(`0x${wordIn(data, index)}`);
}
