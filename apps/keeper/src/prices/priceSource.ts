import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { type Address, getAddress, isAddress } from "viem";

/** Where the value of one whole token, in wei of the chain's native token, comes from. */
export type PriceSource =
  | { kind: "fixed"; wei: bigint }
  /** A Chainlink feed on the chain: the token in ether, or, with `ethFeed`, two feeds: token and ether in a third currency. */
  | { kind: "feed"; feed: Address; ethFeed: Address | null; maxAgeSeconds: number }
  /** JSON from a URL; a value outside of the bounds is no price. */
  | { kind: "url"; url: string; field: string; minWei: bigint; maxWei: bigint };

const Wei = Type.String({ pattern: "^(?:0|[1-9][0-9]{0,39})$" });
const ContractAddress = Type.String({ pattern: "^0x[0-9a-fA-F]{40}$" });

const FixedEntry = Type.Object({ wei: Wei }, { additionalProperties: false });
const FeedEntry = Type.Object(
  {
    feed: ContractAddress,
    eth_feed: Type.Optional(ContractAddress),
    max_age_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_592_000 })),
  },
  { additionalProperties: false },
);
const UrlEntry = Type.Object(
  {
    url: Type.String({ pattern: "^https?://[^\\s]+$" }),
    field: Type.Optional(Type.String({ pattern: "^[A-Za-z0-9_]+(?:\\.[A-Za-z0-9_]+)*$", maxLength: 200 })),
    min_wei: Wei,
    max_wei: Wei,
  },
  { additionalProperties: false },
);
type UrlEntry = Static<typeof UrlEntry>;

/** The feed of a stable coin is updated daily, or when the price moves. An update may be an hour late. */
const DEFAULT_MAX_AGE_SECONDS = 90_000;

const FORMS =
  '"400000000000000" (wei), { feed = "0x...", eth_feed = "0x...", max_age_seconds = 90000 } or { url = "https://...", min_wei = "...", max_wei = "..." }';

/** The source that an entry of a `prices` table describes, or what is wrong with it. */
export function parsePrice(token: string, entry: unknown): [Address, PriceSource] | { problem: string } {
  const address = parseToken(token);
  if (address === null) return { problem: "the name of a price must be a token: 0x and 40 hex digits" };
  if (Value.Check(Wei, entry)) return [address, { kind: "fixed", wei: BigInt(entry) }];
  if (Value.Check(FixedEntry, entry)) return [address, { kind: "fixed", wei: BigInt(entry.wei) }];
  if (Value.Check(FeedEntry, entry)) {
    const { feed, eth_feed: ethFeed, max_age_seconds: maxAgeSeconds = DEFAULT_MAX_AGE_SECONDS } = entry;
    const other = ethFeed === undefined ? null : parseToken(ethFeed);
    return [address, { kind: "feed", feed: getAddress(feed.toLowerCase()), ethFeed: other, maxAgeSeconds }];
  }
  if (Value.Check(UrlEntry, entry)) return urlSource(address, entry);
  return { problem: `must be ${FORMS}` };
}

function urlSource(token: Address, entry: UrlEntry): [Address, PriceSource] | { problem: string } {
  const { url, field = "wei" } = entry;
  const [minWei, maxWei] = [BigInt(entry.min_wei), BigInt(entry.max_wei)];
  if (!URL.canParse(url)) return { problem: "url must be a URL that begins with http:// or https://" };
  if (minWei > maxWei) return { problem: "min_wei must not be above max_wei" };
  return [token, { kind: "url", url, field, minWei, maxWei }];
}

function parseToken(text: string): Address | null {
  return isAddress(text, { strict: false }) ? getAddress(text.toLowerCase()) : null;
}
