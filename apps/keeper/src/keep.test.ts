import { afterEach, expect, test } from "bun:test";
import { testPlan } from "@dueday/keeper/test/testPlan";
import { getAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { createApi } from "./api";
import { keep } from "./keep";
import type { KeeperNode } from "./node";

const account = privateKeyToAccount(`0x${"11".repeat(32)}`);
const contract = getAddress("0xfaf5fc2f77b21bc188f492b827d366b03a07c61f");
const due = testPlan();
const caughtUp = testPlan({ ready: false, reason: "caught_up", caughtUp: true });

type Answer = (request: Request) => Response | Promise<Response>;
const servers: Bun.Server<undefined>[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

function readiness(plan: object, blockNumber: string, tag = `W/"${blockNumber}"`): Answer {
  return () => Response.json({ ...plan, asOf: { blockNumber, stale: false } }, { headers: { ETag: tag } });
}

/** A keeper with an API that returns these answers in turn, and a node that must not be used. */
function keeperAgainst(answers: Answer[]) {
  const tags: (string | null)[] = [];
  const lines: string[] = [];
  const pauses: number[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      tags.push(request.headers.get("If-None-Match"));
      return answers.shift()?.(request) ?? new Response(null, { status: 500 });
    },
  });
  servers.push(server);
  const refuse = async () => Promise.reject(new Error("the node must not be used"));
  const node: KeeperNode = { chainId: refuse, hasCode: refuse, estimateRemit: refuse, send: refuse };
  const run = (once: boolean) =>
    keep({
      api: createApi(`http://127.0.0.1:${server.port}`, 31337),
      node,
      account,
      chainId: 31337,
      contract,
      once,
      intervalMs: 300_000,
      jitterMs: 0,
      costLimits: { minProfitWei: null, maxGasPrice: null, prices: [] },
      print: (line) => lines.push(line),
      sleep: async (milliseconds) => void pauses.push(milliseconds),
    });
  return { run, tags, lines, pauses };
}

test("an answer that is not a bare remit() is refused, nothing is sent, and the keeper ends with 2", async () => {
  const drain = { to: contract, from: account.address, data: "0x7507ba39", value: "1", chainId: 31337 };
  const prepared = () => Response.json({ chainId: 31337, signingMode: "raw", unsignedTransactions: [drain] });
  const { run, lines } = keeperAgainst([readiness(due, "7"), prepared]);
  expect(await run(false)).toBe(2);
  expect(lines.at(-1)).toContain("refused to sign");
});

test("the keeper waits for Retry-After before its next request", async () => {
  const limited = () => Response.json({ error: "slow down" }, { status: 429, headers: { "Retry-After": "17" } });
  const { run, pauses, lines } = keeperAgainst([limited, readiness(caughtUp, "7")]);
  expect(await run(true)).toBe(0);
  expect(pauses).toEqual([17_000]);
  expect(lines[0]).toBe("the API answered 429: slow down");
});

test("an unchanged plan is requested with If-None-Match, and 304 keeps it", async () => {
  const unchanged = () => new Response(null, { status: 304, headers: { "X-As-Of": "8;0x;1;1" } });
  const drain = () => Response.json({});
  const { run, tags, pauses, lines } = keeperAgainst([readiness(caughtUp, "7"), unchanged, readiness(due, "9"), drain]);
  expect(await run(false)).toBe(2);
  expect(tags.slice(0, 3)).toEqual([null, 'W/"7"', 'W/"7"']);
  expect(pauses).toEqual([300_000, 300_000]);
  expect(lines[1]).toContain("stale");
});

test("with --once a blocked protocol ends with 3 and an API that fails with 5", async () => {
  const blocked = testPlan({ ready: false, reason: "blocked" });
  expect(await keeperAgainst([readiness(blocked, "7")]).run(true)).toBe(3);
  expect(await keeperAgainst([]).run(true)).toBe(5);
  expect(await keeperAgainst([() => new Response("<html>")]).run(true)).toBe(5);
  expect(await keeperAgainst([() => Response.redirect("http://127.0.0.1:1/", 302)]).run(true)).toBe(5);
});

test("an API that is unavailable is polled at the usual interval", async () => {
  const down = () => new Response(null, { status: 502 });
  const { run, pauses } = keeperAgainst([down, down, readiness(due, "9"), () => Response.json({})]);
  expect(await run(false)).toBe(2);
  expect(pauses).toEqual([300_000, 300_000]);
});

test("Retry-After: 0 never makes the keeper spin: its pauses begin at a second and double up to five minutes", async () => {
  const limited = () => Response.json({ error: "slow down" }, { status: 429, headers: { "Retry-After": "0" } });
  const drain = () => Response.json({});
  const answers = [
    ...Array.from({ length: 11 }, () => limited),
    readiness(due, "9"),
    limited,
    readiness(due, "9"),
    drain,
  ];
  const { run, pauses } = keeperAgainst(answers);
  expect(await run(false)).toBe(2);
  const seconds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300];
  expect(pauses).toEqual(seconds.map((each) => each * 1000));
});

test("with --once a keeper whose requests are all refused with Retry-After ends with 5 after 8 of them", async () => {
  const limited = () => Response.json({ error: "slow down" }, { status: 429, headers: { "Retry-After": "0" } });
  const { run, tags } = keeperAgainst(Array.from({ length: 100 }, () => limited));
  expect(await run(true)).toBe(5);
  expect(tags.length).toBe(8);
});
