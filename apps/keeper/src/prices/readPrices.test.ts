import { afterAll, expect, test } from "bun:test";
import { getAddress } from "viem";
import type { PriceSource } from "./priceSource";
import { type PriceChain, readPrices } from "./readPrices";
import { readPriceUrl } from "./readPriceUrl";
import { weiOfFeeds } from "./weiOfFeeds";

const TOKEN = getAddress(`0x${"a1".repeat(20)}`);
const FEED = getAddress(`0x${"f1".repeat(20)}`);
const NOW = 1_800_000_000;

let answer: () => Response | Promise<Response> = () => new Response();
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => answer() });
afterAll(() => server.stop(true));

const source = { kind: "url", url: server.url.href, field: "data.wei", minWei: 100n, maxWei: 200n } as const;

test("two feeds in dollars give wei for a token: 0.9998 USD and 2,500 USD for an ether", () => {
  const token = { answer: 99_980_000n, decimals: 8, updatedAt: NOW - 10 };
  const ether = { answer: 2_500_000_000_00n, decimals: 8, updatedAt: NOW - 10 };
  expect(weiOfFeeds({ token, ether, chainTime: NOW, maxAgeSeconds: 60 })).toBe(399_920_000_000_000n);
  const inEther = { answer: 399_920_000_000_000n, decimals: 18, updatedAt: NOW };
  expect(weiOfFeeds({ token: inEther, ether: null, chainTime: NOW, maxAgeSeconds: 60 })).toBe(399_920_000_000_000n);
});

test.each([
  ["is stale", { updatedAt: NOW - 61 }, "61 s ago"],
  ["is from the future", { updatedAt: NOW + 61 }, "future"],
  ["is zero", { answer: 0n }, "positive"],
  ["is negative", { answer: -5n }, "positive"],
  ["has too many decimals", { decimals: 37 }, "decimals"],
])("a feed that %s gives no price, be it the token's or ether's", (_, change, reason) => {
  const good = { answer: 10n ** 8n, decimals: 8, updatedAt: NOW };
  const limits = { chainTime: NOW, maxAgeSeconds: 60 };
  const problem = { problem: expect.stringContaining(reason) };
  expect(weiOfFeeds({ token: { ...good, ...change }, ether: good, ...limits })).toEqual(problem);
  expect(weiOfFeeds({ token: good, ether: { ...good, ...change }, ...limits })).toEqual(problem);
});

test("a URL's price within its bounds is taken, as text or as a number", async () => {
  answer = () => Response.json({ data: { wei: "150" } });
  expect(await readPriceUrl(source)).toBe(150n);
  answer = () => Response.json({ data: { wei: 150 } });
  expect(await readPriceUrl(source)).toBe(150n);
  answer = () => Response.json([{ wei: "150" }]);
  expect(await readPriceUrl({ ...source, field: "0.wei" })).toBe(150n);
});

test.each([
  ["above the bounds", () => Response.json({ data: { wei: "201" } })],
  ["below the bounds", () => Response.json({ data: { wei: "99" } })],
  ["a fraction", () => Response.json({ data: { wei: 150.5 } })],
  ["in hexadecimal", () => Response.json({ data: { wei: "0x96" } })],
  ["missing", () => Response.json({ data: {} })],
  ["an inherited field", () => Response.json({ data: null })],
  ["an error", () => Response.json({ data: { wei: "150" } }, { status: 500 })],
  ["HTML", () => new Response("<html>")],
  ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 302)],
  ["a megabyte", () => new Response(`{"data":{"wei":"150","more":"${"x".repeat(1_000_000)}"}}`)],
])("a URL's price that is %s is no price", async (_, given) => {
  answer = given;
  const read = await readPriceUrl(source);
  expect(read).toEqual({ problem: expect.any(String) });
  expect(JSON.stringify(read)).not.toContain(server.url.host);
});

test("prices are read for the tokens of the plan only; one that fails is reported and has none", async () => {
  const chain: PriceChain = {
    decimals: async () => 6,
    feed: async (address) => (address === FEED ? { answer: 7n, decimals: 0, updatedAt: NOW } : null),
  };
  const OTHER = getAddress(`0x${"b2".repeat(20)}`);
  const sources = new Map<typeof TOKEN, PriceSource>([
    [TOKEN, { kind: "feed", feed: FEED, ethFeed: null, maxAgeSeconds: 60 }],
    [OTHER, { kind: "feed", feed: OTHER, ethFeed: null, maxAgeSeconds: 60 }],
    [FEED, { kind: "fixed", wei: 1n }],
  ]);
  const { prices, faults } = await readPrices(sources, { chain, tokens: [TOKEN, OTHER], chainTime: NOW });
  expect([...prices]).toEqual([[TOKEN, { wei: 7n * 10n ** 18n, decimals: 6 }]]);
  expect(faults).toEqual([{ token: OTHER, problem: expect.stringContaining("check its address") }]);
});
