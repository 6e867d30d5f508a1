import type { RemitEvent } from "@dueday/core/remit/remitEvent";
import { type Hex, keccak256, numberToHex } from "viem";
import { applyChange, type Change } from "./applyChange";
import type { ChainSettings } from "./chainSettings";
import type { Book } from "./createBook";
import { renderLog } from "./renderLog";

/** A block, with the contract's settings after it. */
export type Block = {
  number: number;
  hash: Hex;
  timestamp: number;
  events: readonly RemitEvent[];
  settings: ChainSettings;
};

export type Blocks = {
  newest(): Block;
  /** Mines a block with these changes. */
  mine(changes: readonly Change[], timestamp: number): void;
  /** The block of a JSON-RPC parameter: a number, a hash, a tag, which is the newest, or a hash in an object. */
  find(reference: unknown): Block | undefined;
  /** The contract's logs from one block to another. */
  logs(from: Block, to: Block): object[];
};

const GAS_LIMIT = 40_000_000;
const BASE_FEE = 5_000_000;

export function createBlocks(
  book: Book,
  settings: ChainSettings,
  first: { number: number; timestamp: number },
): Blocks {
  const start: Block = { ...first, hash: hashOf(first.number), events: [], settings };
  const blocks = [start];
  const newest = () => blocks.at(-1) ?? start;

  function find(reference: unknown): Block | undefined {
    if (typeof reference === "object" && reference !== null && "blockHash" in reference)
      return find(reference.blockHash);
    if (typeof reference !== "string" || !reference.startsWith("0x")) return newest();
    if (reference.length === 66) return blocks.find(({ hash }) => hash === reference);
    return blocks[Number(reference) - first.number];
  }

  return {
    newest,
    find,
    mine(changes, timestamp) {
      const { number, settings: before } = newest();
      const events: RemitEvent[] = [];
      const balances = new Map(before.token.balances);
      for (const change of changes) {
        for (const event of applyChange(book, before, change, number + 1)) {
          if (event.event === "Transfer") move(balances, event);
          events.push(event);
        }
      }
      const after = { ...before, token: { ...before.token, balances } };
      blocks.push({ number: number + 1, hash: hashOf(number + 1), timestamp, events, settings: after });
    },
    logs: (from, to) => blocks.slice(from.number - first.number, to.number - first.number + 1).flatMap(logsOf),
  };
}

function move(balances: Map<string, bigint>, { from, to, value }: { from: string; to: string; value: bigint }): void {
  for (const [account, change] of [
    [from, -value],
    [to, value],
  ] as const) {
    const key = account.toLowerCase();
    balances.set(key, (balances.get(key) ?? 0n) + change);
  }
}

/** What eth_getBlockByNumber returns. */
export function headerOf({ number, hash, timestamp }: Block): object {
  return {
    number: numberToHex(number),
    hash,
    parentHash: hashOf(number - 1),
    timestamp: numberToHex(timestamp),
    gasLimit: numberToHex(GAS_LIMIT),
    baseFeePerGas: numberToHex(BASE_FEE),
    transactions: [],
  };
}

function logsOf({ number, hash, timestamp, events, settings }: Block): object[] {
  const place = { blockNumber: numberToHex(number), blockHash: hash, blockTimestamp: numberToHex(timestamp) };
  const transaction = { transactionHash: keccak256(hash), transactionIndex: "0x0", removed: false };
  return events.flatMap((event, logIndex) => {
    if (event.event === "Transfer") return [];
    const log = renderLog(event, settings.contract, timestamp);
    return [{ ...log, ...place, ...transaction, logIndex: numberToHex(logIndex) }];
  });
}

function hashOf(number: number): Hex {
  return keccak256(numberToHex(Math.max(0, number)));
}
