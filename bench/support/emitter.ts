import { protocolEventTopics } from "@dueday/core/events/decodeProtocolEvent";
import type { SubLog } from "@dueday/core/events/protocolEvent";
import { concatHex, type Hex, numberToHex, pad } from "viem";

/** A SubLog to be emitted. Amount with 18 decimals. */
export type EmittedLog = Omit<SubLog, "event">;

const [SUB_LOG = "0x"] = protocolEventTopics;

/**
 * EVM code that replaces the protocol and emits many SubLogs in one transaction. Its input is a sequence of records, each of three
 * topics and four words of data. A call with one argument returns words that decode both as an approved token of 6 decimals and as
 * a monthly subscription: the two views that the indexer calls.
 */
export const emitterCode: Hex = concatHex([
  "0x3660241460545760005b", // calldatasize 36 eq, jump to 0x54 if so; push offset 0; 0x09: jumpdest
  "0x3681101560525760", // while offset < calldatasize, else jump to 0x52
  "0x80816060016000378060400135816020013582357f", // copy 128 bytes at offset + 96 to memory; topics 4, 3, 2; push32
  SUB_LOG,
  "0x60806000a460e0016009565b00", // log4 of memory 0..128; offset += 224; jump to 0x09; 0x52: jumpdest stop
  "0x5b6004356000526006602052600160a052601c60c05260e06000f3", // 0x54: return argument, 6, 0, 0, 0, 1, 28
]);

/** Input of one transaction that emits these logs. */
export function emitterInput(logs: readonly EmittedLog[]): Hex {
  return concatHex(logs.flatMap((log) => [...topicsOf(log).slice(1), dataOf(log)]));
}

/** A log's topics, its event first. */
export function topicsOf({ id, provider, subscriber }: EmittedLog): Hex[] {
  return [SUB_LOG, id, pad(provider), pad(subscriber)];
}

export function dataOf({ timestamp, amount, token, code }: EmittedLog): Hex {
  return concatHex([word(timestamp), word(amount), pad(token), word(code)]);
}

function word(value: number | bigint): Hex {
  return numberToHex(value, { size: 32 });
}
