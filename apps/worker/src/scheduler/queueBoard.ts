import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { HonoAdapter } from "@bull-board/hono";
import type { ChainConfig } from "@dueday/config/chains";
import type { MetricsPage } from "@dueday/metrics/startMetricsServer";
import { Queue } from "bullmq";
import { Hono } from "hono";
import { serveStatic } from "hono/bun";
import { Redis } from "ioredis";
import { queueNameOf } from "./bullmq";
import { createLoginCheck } from "./createLoginCheck";

export type QueueBoardOptions = {
  redisUrl: string;
  chains: readonly ChainConfig[];
  adminSecret: string;
};

export type QueueBoard = { page: MetricsPage; close(): void };

const PATH = "/queues";
const COMMAND_TIMEOUT_MS = 2_000;
/** The page asks for fonts of another host, which this policy blocks; it works without them. */
const CONTENT_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

/**
 * A read-only page that shows the queues of all chains. It requires the admin secret as the password of HTTP Basic, with any user
 * name. After 30 wrong passwords in a minute, of all clients together, it refuses every password until the minute is over.
 */
export function createQueueBoard({ redisUrl, chains, adminSecret }: QueueBoardOptions): QueueBoard {
  const connection = new Redis(redisUrl, { commandTimeout: COMMAND_TIMEOUT_MS, maxRetriesPerRequest: 1 });
  // The scheduler's own connection logs an outage.
  connection.on("error", () => {});
  const queues = chains.map((chain) => new Queue(queueNameOf(chain), { connection }));
  for (const queue of queues) queue.on("error", () => {});
  const adapter = new HonoAdapter(serveStatic).setBasePath(PATH);
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: true })),
    serverAdapter: adapter,
  });
  const checkLogin = createLoginCheck(adminSecret, () => performance.now());
  const board = new Hono().route(PATH, adapter.registerPlugin());
  return {
    page: {
      path: PATH,
      async answer(request) {
        const login = checkLogin(request);
        if (login === "refused") return unauthorized();
        if (login !== "accepted") return tooManyLogins(login.retryAfterSeconds);
        const response = await board.fetch(request);
        response.headers.set("Content-Security-Policy", CONTENT_POLICY);
        return response;
      },
    },
    close: () => connection.disconnect(),
  };
}

function unauthorized(): Response {
  const headers = { "WWW-Authenticate": 'Basic realm="Dueday queues", charset="UTF-8"' };
  return new Response("This page needs ADMIN_SECRET as the password, with any user name\n", { status: 401, headers });
}

function tooManyLogins(retryAfterSeconds: number): Response {
  const headers = { "Retry-After": String(retryAfterSeconds) };
  return new Response("Too many wrong passwords in this minute; try again later\n", { status: 429, headers });
}
