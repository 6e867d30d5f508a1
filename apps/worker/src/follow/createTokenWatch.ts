import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import { asServiceError } from "@dueday/chain/client/asServiceError";
import type { OpenBook } from "@dueday/chain/remit/state/openBook";
import { MOST_PAIRS, readFingerprint } from "@dueday/chain/remit/state/readFingerprint";
import type { Address, Hex } from "viem";
import type { ChainContext } from "../context";

/** Whether balances or allowances of a book have changed since its block. `unknown`: its accounts are not known, or the node can't compare them. */
export type TokenVerdict = "same" | "changed" | "unknown";

/**
 * Finds changes of balances and allowances, which no event of the contract shows, by a hash of all of them: one request for a thousand
 * accounts. It shows nothing else: a token that bars an account, or whose code changes, is seen by a simulation only.
 */
export type TokenWatch = {
  /** @throws ServiceError UPSTREAM_* */
  check(book: OpenBook | null, block: ChainBlock): Promise<TokenVerdict>;
  /** Requests that a check of the book takes; the first check of a book takes twice as many. */
  requests(book: OpenBook | null): number;
};

export function createTokenWatch({ chain, client }: Pick<ChainContext, "chain" | "client">): TokenWatch {
  /** The hash of each book at its own block. */
  const fingerprints = new WeakMap<OpenBook, Hex | null>();

  async function read(book: OpenBook, block: ChainBlock): Promise<Hex | null> {
    const hashes: Hex[] = [];
    for (const holders of partsOf(book)) {
      const hash = await readFingerprint(client, { contract: chain.contract, holders, block });
      if (hash === null) return null;
      hashes.push(hash);
    }
    return `0x${hashes.map((hash) => hash.slice(2)).join("")}`;
  }

  return {
    async check(book, block) {
      if (book === null) return "unknown";
      let before = fingerprints.get(book);
      try {
        if (before === undefined) before = await read(book, book.block);
      } catch (error) {
        // Nodes drop the state of old blocks, some after seconds.
        if (asServiceError(error).details.failure === "missing_block") return "unknown";
        throw error;
      }
      fingerprints.set(book, before);
      const now = before === null ? null : await read(book, block);
      if (now === null) return "unknown";
      return now === before ? "same" : "changed";
    },
    requests: (book) => (book === null ? 0 : Math.ceil(countPairs(book) / MOST_PAIRS)),
  };
}

/** The accounts of a book in parts of `MOST_PAIRS`, made one after another, because all parts together are as large as the book. */
function* partsOf({ holders }: OpenBook): Generator<ReadonlyMap<Address, readonly Address[]>> {
  let part = new Map<Address, Address[]>();
  let pairs = 0;
  for (const [token, accounts] of holders) {
    for (const account of accounts) {
      if (pairs === MOST_PAIRS) {
        yield part;
        part = new Map();
        pairs = 0;
      }
      const ofToken = part.get(token) ?? [];
      ofToken.push(account);
      part.set(token, ofToken);
      pairs++;
    }
  }
  if (pairs > 0) yield part;
}

function countPairs({ holders }: OpenBook): number {
  let count = 0;
  for (const { size } of holders.values()) count += size;
  return count;
}
