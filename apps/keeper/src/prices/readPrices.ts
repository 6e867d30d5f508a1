import type { Prices } from "@dueday/core/remit/transactionProfit";
import type { Address } from "viem";
import type { PriceSource } from "./priceSource";
import { readPriceUrl } from "./readPriceUrl";
import { type FeedAnswer, weiOfFeeds } from "./weiOfFeeds";

/** What reading prices needs of the chain. Its methods reject with the errors of the node. */
export type PriceChain = {
  /** Decimals of a token. */
  decimals(token: Address): Promise<number>;
  /** The latest answer of a Chainlink feed; null where the contract does not answer as one. */
  feed(address: Address): Promise<FeedAnswer | null>;
};

export type ReadPrices = {
  prices: Prices;
  /** Why a token has no price now. */
  faults: readonly { token: Address; problem: string }[];
};

/** Reads the prices of those tokens that have a source. `chainTime` is the time of the latest block, unix seconds. */
export async function readPrices(
  sources: ReadonlyMap<Address, PriceSource>,
  { chain, tokens, chainTime }: { chain: PriceChain; tokens: readonly Address[]; chainTime: number },
): Promise<ReadPrices> {
  const wanted = tokens.flatMap((token) => {
    const source = sources.get(token);
    return source === undefined ? [] : [{ token, source }];
  });
  const read = await Promise.all(
    wanted.map(async ({ token, source }) => {
      const [decimals, wei] = await Promise.all([chain.decimals(token), readWei(source, chain, chainTime)]);
      return { token, decimals, wei };
    }),
  );
  return {
    prices: new Map(
      read.flatMap(({ token, decimals, wei }) =>
        typeof wei === "bigint" ? [[token, { wei, decimals }] as const] : [],
      ),
    ),
    faults: read.flatMap(({ token, wei }) => (typeof wei === "bigint" ? [] : [{ token, ...wei }])),
  };
}

async function readWei(
  source: PriceSource,
  chain: PriceChain,
  chainTime: number,
): Promise<bigint | { problem: string }> {
  if (source.kind === "fixed") return source.wei;
  if (source.kind === "url") return readPriceUrl(source);
  const { feed, ethFeed, maxAgeSeconds } = source;
  const [token, ether] = await Promise.all([chain.feed(feed), ethFeed === null ? null : chain.feed(ethFeed)]);
  if (token === null || (ethFeed !== null && ether === null)) {
    return { problem: "the feed does not answer as a Chainlink feed: check its address" };
  }
  return weiOfFeeds({ token, ether, chainTime, maxAgeSeconds });
}
