import { expect, test } from "bun:test";
import { createTestExchange } from "@dueday/api/test/createTestExchange";
import type { Lane } from "@dueday/config/limits";
import type { BlockStamp } from "@dueday/core/snapshots/snapshot";
import { createRendering } from "../answers/rendering";
import type { Decision } from "../limits/limiter";
import { createFinish } from "./createFinish";
import { respondReady } from "./respond";

const stamp: BlockStamp = { blockNumber: "7", blockHash: `0x${"0".repeat(63)}7`, blockTimestamp: 1_790_000_000 };
const finish = createFinish({ cors: null, logRequest: () => {}, countRequest: () => {} });

function decisionWith(remaining: number): Decision {
  const limits = { name: "globalRpm", limit: 20, window: "minute", cost: 1, enforced: true } as const;
  return {
    admitted: true,
    states: [{ demand: { ...limits, identity: "free:a" }, remaining, fits: true, resetMs: 60_000 }],
  };
}

/** Answers from one snapshot as requests receive them. */
function startAnswering() {
  const answer = createRendering({ count: 0 }, { stamp, computedAt: 1_790_000_000_000, confirmedAt: null }).at(false);
  const respond = (requestId: string, lane: Lane, decision: Decision | null, ifNoneMatch?: string) => {
    const headers = ifNoneMatch === undefined ? {} : { "If-None-Match": ifNoneMatch };
    const request = new Request("http://localhost/tokens", { headers });
    const exchange = createTestExchange({ request, requestId, lane, decision });
    return finish(exchange, respondReady(exchange, answer));
  };
  return { answer, respond };
}

const FIELDS = ["x-request-id", "x-service-lane", "ratelimit-policy", "ratelimit"];
const fieldsOf = ({ headers }: Response) => FIELDS.map((name) => headers.get(name));
const POLICY = '"global";q=20;w=60';

test.each([200, 304])("each client gets its own fields, and all get the same bytes: status %i", async (status) => {
  const { answer, respond } = startAnswering();
  const known = status === 304 ? answer.etag : undefined;
  const responses = [
    respond("1", "developer", decisionWith(19), known),
    respond("2", "free", decisionWith(3), known),
    respond("3", "free", null, known),
    respond("4", "free", decisionWith(2), known),
  ];
  expect(responses.map(fieldsOf)).toEqual([
    ["1", "developer", POLICY, '"global";r=19;t=60'],
    ["2", "free", POLICY, '"global";r=3;t=60'],
    ["3", "free", null, null],
    ["4", "free", POLICY, '"global";r=2;t=60'],
  ]);
  const body = status === 304 ? "" : answer.text;
  for (const response of responses) {
    expect([response.status, response.headers.get("etag")]).toEqual([status, answer.etag]);
    expect(await response.text()).toBe(body);
  }
  for (const template of [answer.full, answer.notModified])
    expect(fieldsOf(template)).toEqual([null, null, null, null]);
});
