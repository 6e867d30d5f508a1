import { expect, test } from "bun:test";
import { ReadyResponse } from "./readyResponse";

const limits = { policy: '"global";q=20;w=60', rateLimit: '"global";r=19;t=60' };

test("each client gets its own fields, whoever was answered before, and the same bytes", async () => {
  const ready = new ReadyResponse(new Response(new Blob(["{}"]), { headers: { ETag: 'W/"a"' } }));
  const first = ready.respond({ requestId: "1", lane: "developer", rateLimit: limits });
  const second = ready.respond({
    requestId: "2",
    lane: "free",
    rateLimit: { ...limits, rateLimit: '"global";r=3;t=9' },
  });
  const third = ready.respond({ requestId: "3", lane: "free", rateLimit: null });
  const fields = ["x-request-id", "x-service-lane", "ratelimit-policy", "ratelimit", "etag"];
  expect([first, second, third].map(({ headers }) => fields.map((name) => headers.get(name)))).toEqual([
    ["1", "developer", limits.policy, limits.rateLimit, 'W/"a"'],
    ["2", "free", limits.policy, '"global";r=3;t=9', 'W/"a"'],
    ["3", "free", null, null, 'W/"a"'],
  ]);
  expect(await Promise.all([first.text(), second.text(), third.text()])).toEqual(["{}", "{}", "{}"]);
});

test("limits show again after a request that none were consulted for", () => {
  const ready = new ReadyResponse(new Response(null, { status: 304 }));
  for (const rateLimit of [limits, null, limits]) {
    const { status, headers } = ready.respond({ requestId: "1", lane: "free", rateLimit });
    expect([status, headers.get("ratelimit-policy")]).toEqual([304, rateLimit?.policy ?? null]);
  }
});
