import { type Hex, toFunctionSelector } from "viem";
import type { ChainSettings } from "./chainSettings";
import { word } from "./words";

/** Slots of the private variables, as in the devnet's contract: one word has the next day, the system fee's switch and its receiver. */
const [SHARED, CHECKPOINT] = [4, 8];
const CHECKPOINT_WORDS = 5;
const CALL_GAS = 50_000;
/** What it costs to change a word, beyond writing the same value again. */
const CHANGE_GAS = 2_900;

const SET_PAGE_START = toFunctionSelector("setPageStart((bytes32,uint256,uint256,uint256,bool))");
const ACTIVATE = toFunctionSelector("systemFeeActivate(bool)");
const SET_RECEIVER = toFunctionSelector("changeSysFeeReceiver(address)");

/** Slots and gas of a call: the admin's setters, all that the client asks for. The system fee is off. */
export function accessList(to: string, data: string): object {
  const selector = data.slice(0, 10);
  const slots = slotsOf(selector);
  const isChange = selector === ACTIVATE && data.endsWith("1");
  return {
    accessList: slots.length === 0 ? [] : [{ address: to, storageKeys: slots.map((slot) => `0x${word(slot)}`) }],
    gasUsed: `0x${(CALL_GAS + (isChange ? CHANGE_GAS : 0)).toString(16)}`,
  };
}

function slotsOf(selector: string): number[] {
  if (selector === SET_PAGE_START) return Array.from({ length: CHECKPOINT_WORDS }, (_, index) => CHECKPOINT + index);
  return selector === ACTIVATE || selector === SET_RECEIVER ? [SHARED] : [];
}

/** The word in a slot of a private variable: no page is settled. */
export function storageWord({ nextUncheckedDay, admin }: ChainSettings, slot: bigint): Hex {
  const receiver = BigInt(admin) << 48n;
  return `0x${word(slot === BigInt(SHARED) ? receiver | BigInt(nextUncheckedDay) : 0n)}`;
}
