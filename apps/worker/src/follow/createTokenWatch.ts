import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { RpcRefusal } from "@dueday/chain/client/rpcOutcome";
import type { OpenBook } from "@dueday/chain/remit/state/createRemitStateCache";
import { MOST_PAIRS, readFingerprint } from "@dueday/chain/remit/state/readFingerprint";
import { type Hex, numberToHex, pad, toEventSelector } from "viem";
import type { ChainContext } from "../context";

/**
 * What happened to the tokens of the open book since the last check. `unknown`: nobody can know without reading everything, because
 * the book is large, was not read yet, or the node can't do either check.
 */
export type TokenVerdict = "same" | "changed" | "unknown";

/** Finds changes of balances and allowances, which no event of the contract shows, at the price of one or two requests. */
export type TokenWatch = { check(block: ChainBlock): Promise<TokenVerdict> };

const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
const APPROVAL = toEventSelector("Approval(address,address,uint256)");
/** Accounts in one filter for logs: nodes limit the values of a topic. */
const MOST_ACCOUNTS = 1_000;
/** Blocks in one request for logs: a wider gap counts as changed. */
const LONGEST_RANGE = 500n;

/**
 * In the fresh profile, a check compares a hash of all balances and allowances, which is cheap enough for every other block. In the
 * frugal one, it reads the Transfer and Approval logs since the last check.
 */
export function createTokenWatch(context: Pick<ChainContext, "chain" | "client" | "stateCache">): TokenWatch {
  const { chain, client, stateCache } = context;
  /** The book that is watched, with its fingerprint at the last check. */
  let watched: { book: OpenBook; fingerprint: Hex | null } | null = null;
  let checkedTo = 0n;

  async function byFingerprint(block: ChainBlock, book: OpenBook): Promise<TokenVerdict> {
    const read = (at: ChainBlock) => readFingerprint(client, { ...book, contract: chain.contract, block: at });
    const before = watched?.book.block.hash === book.block.hash ? watched.fingerprint : await read(book.block);
    const fingerprint = await read(block);
    watched = { book, fingerprint };
    if (before === null || fingerprint === null) return "unknown";
    return fingerprint === before ? "same" : "changed";
  }

  async function byLogs(block: ChainBlock, { block: readAt, holders }: OpenBook): Promise<TokenVerdict> {
    const from = checkedTo > readAt.number ? checkedTo : readAt.number;
    if (block.number <= from) return "same";
    if (block.number - from > LONGEST_RANGE) {
      checkedTo = block.number;
      return "changed";
    }
    const accounts = [...new Set([...holders.values()].flatMap((each) => [...each]))].map((account) => pad(account));
    const range = {
      fromBlock: numberToHex(from + 1n),
      toBlock: numberToHex(block.number),
      address: [...holders.keys()],
    };
    const filters = [
      { ...range, topics: [[TRANSFER, APPROVAL], accounts] },
      { ...range, topics: [TRANSFER, null, accounts] },
    ];
    try {
      const answers = await Promise.all(filters.map((filter) => client.rpc("eth_getLogs", [filter])));
      checkedTo = block.number;
      return answers.every((logs) => Array.isArray(logs) && logs.length === 0) ? "same" : "changed";
    } catch (error) {
      if (error instanceof RpcRefusal) return "unknown";
      throw error;
    }
  }

  return {
    async check(block) {
      const book = stateCache.book();
      if (book === null) return "unknown";
      const pairs = [...book.holders.values()].reduce((sum, accounts) => sum + accounts.size, 0);
      if (pairs === 0) return "same";
      if (chain.rpcProfile === "frugal" && pairs <= MOST_ACCOUNTS) return byLogs(block, book);
      return pairs <= MOST_PAIRS ? byFingerprint(block, book) : "unknown";
    },
  };
}
