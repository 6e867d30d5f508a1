/** `latestRoundData` of a Chainlink feed and its decimals. */
export type FeedAnswer = { answer: bigint; decimals: number; updatedAt: number };

export type FeedsParameters = {
  token: FeedAnswer;
  /** Ether in the currency of the token's feed; null where that feed is in ether. */
  ether: FeedAnswer | null;
  /** Time of the latest block, unix seconds, because the machine's clock may be wrong. */
  chainTime: number;
  maxAgeSeconds: number;
};

const ETHER_DECIMALS = 18;
const MOST_DECIMALS = 36;
/** Blocks and feeds have the same clock, so a round that is further ahead shows a broken feed. */
const MOST_AHEAD_SECONDS = 60;

/** Wei for one whole token, or why the feeds give no price. Rounded down. */
export function weiOfFeeds({ token, ether, chainTime, maxAgeSeconds }: FeedsParameters): bigint | { problem: string } {
  for (const { answer, decimals, updatedAt } of ether === null ? [token] : [token, ether]) {
    if (answer <= 0n) return { problem: "the feed has no positive answer" };
    if (decimals > MOST_DECIMALS) return { problem: `the feed has more than ${MOST_DECIMALS} decimals` };
    const age = chainTime - updatedAt;
    if (age > maxAgeSeconds)
      return { problem: `the feed was last updated ${age} s ago, more than the ${maxAgeSeconds} of max_age_seconds` };
    if (age < -MOST_AHEAD_SECONDS) return { problem: "the feed was updated in the future" };
  }
  const wei = token.answer * 10n ** BigInt(ETHER_DECIMALS);
  if (ether === null) return wei / 10n ** BigInt(token.decimals);
  return (wei * 10n ** BigInt(ether.decimals)) / (ether.answer * 10n ** BigInt(token.decimals));
}
