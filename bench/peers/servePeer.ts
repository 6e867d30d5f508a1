import { securityFields } from "@dueday/api/answers/securityFields";
import { createRegistry } from "@dueday/metrics/createRegistry";
import fastifyRateLimit from "@fastify/rate-limit";
import { Elysia } from "elysia";
import { DefaultContext, rateLimit } from "elysia-rate-limit";
import fastify from "fastify";
import { Hono } from "hono";
import { rateLimiter } from "hono-rate-limiter";
import { Redis } from "ioredis";
import pino from "pino";
import { Histogram } from "prom-client";

/** The answer that all servers send: the body of the API's own answer, and its tag. */
export type PeerAnswer = { path: string; body: string; etag: string };

/** How many requests a client may send in a minute: high enough for all requests of a run, and every request is counted. */
export const LIMIT = 10_000;
export const DAY_LIMIT = 1_000_000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Header fields besides the tag, the request's id and the fields of the limiter. */
const FIELDS = { ...securityFields, "Cache-Control": "private, no-cache" };
/** Enough for every client, for limiters that bound the number of clients. */
const MAX_CLIENTS = 20_000;

export const peers = ["fastify", "hono", "elysia"] as const;
export type Peer = (typeof peers)[number];

type Duties = {
  logger: pino.Logger;
  /** Writes the log line of a request, and counts it. */
  finish(facts: { requestId: string; method: string; path: string; status: number; startedAt: number }): void;
};

/**
 * Starts a server with the duties of the API on a polled read: an answer with its tag or a 304, a limit for the minute and one for the day
 * for each client that a proxy forwards, the security header fields, a request id, a log line, a histogram. Each server has the limiter that
 * its documentation names. The windows of these limiters are fixed and not sliding.
 *
 * @param redis path of the socket of the Redis that counts, for Fastify only. Default: counts in memory
 * @returns its URL
 */
export async function servePeer(peer: Peer, answer: PeerAnswer, redis?: string): Promise<string> {
  if (peer === "fastify") return await serveFastify(answer, redis);
  const serve = peer === "hono" ? honoApp(answer) : elysiaApp(answer);
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch: serve });
  return `http://127.0.0.1:${server.port}`;
}

function createDuties(): Duties {
  const logger = pino({ base: null });
  const durations = new Histogram({
    name: "request_seconds",
    help: "Requests with their duration",
    labelNames: ["path", "status"] as const,
    registers: [createRegistry()],
  });
  return {
    logger,
    finish({ requestId, method, path, status, startedAt }) {
      const milliseconds = performance.now() - startedAt;
      durations.observe({ path, status }, milliseconds / 1000);
      logger.info({ requestId, method, path, status, milliseconds }, "request");
    },
  };
}

async function serveFastify({ path, body, etag }: PeerAnswer, redis?: string): Promise<string> {
  const { logger, finish } = createDuties();
  const app = fastify({
    loggerInstance: logger,
    disableRequestLogging: true,
    trustProxy: true,
    genReqId: () => crypto.randomUUID(),
  });
  await app.register(fastifyRateLimit, {
    max: LIMIT,
    timeWindow: MINUTE_MS,
    cache: MAX_CLIENTS,
    ...(redis !== undefined && { redis: new Redis(redis) }),
  });
  // The plugin's own hook runs once a request, so the second limit is checked by hand, as its documentation shows.
  const checkDay = app.createRateLimit({ max: DAY_LIMIT, timeWindow: DAY_MS });
  app.get(path, async (request, reply) => {
    const day = await checkDay(request);
    if (!day.isAllowed && day.isExceeded) return reply.code(429).send();
    reply.headers({ ...FIELDS, "X-Request-Id": request.id, ETag: etag });
    if (request.headers["if-none-match"] === etag) return reply.code(304).send();
    return reply.type("application/json").send(body);
  });
  app.addHook("onResponse", async ({ id, method }, { statusCode: status, elapsedTime }) => {
    finish({ requestId: id, method, path, status, startedAt: performance.now() - elapsedTime });
  });
  return await app.listen({ port: 0, host: "127.0.0.1" });
}

function honoApp({ path, body, etag }: PeerAnswer) {
  const { finish } = createDuties();
  const app = new Hono();
  app.use(async (context, next) => {
    const startedAt = performance.now();
    const requestId = crypto.randomUUID();
    context.header("X-Request-Id", requestId);
    await next();
    finish({ requestId, method: context.req.method, path, status: context.res.status, startedAt });
  });
  for (const window of [
    { windowMs: DAY_MS, limit: DAY_LIMIT },
    { windowMs: MINUTE_MS, limit: LIMIT },
  ]) {
    app.use(
      rateLimiter({
        ...window,
        standardHeaders: "draft-7",
        keyGenerator: (context) => context.req.header("x-forwarded-for") ?? "",
      }),
    );
  }
  app.get(path, (context) => {
    for (const [name, value] of Object.entries(FIELDS)) context.header(name, value);
    context.header("ETag", etag);
    if (context.req.header("if-none-match") === etag) return context.body(null, 304);
    return context.body(body, 200, { "Content-Type": "application/json" });
  });
  return (request: Request) => app.fetch(request);
}

function elysiaApp({ path, body, etag }: PeerAnswer) {
  const { finish } = createDuties();
  const app = new Elysia()
    .derive({ as: "global" }, () => ({ startedAt: performance.now(), requestId: crypto.randomUUID() }))
    // Elysia applies this hook to the routes that follow.
    .onAfterResponse({ as: "global" }, ({ request, set, startedAt, requestId }) => {
      const status = typeof set.status === "number" ? set.status : 200;
      finish({ requestId, method: request.method, path, status, startedAt });
    })
    .use(elysiaLimit(DAY_LIMIT, DAY_MS))
    .use(elysiaLimit(LIMIT, MINUTE_MS))
    .get(path, ({ headers, set, requestId }) => {
      Object.assign(set.headers, FIELDS, { "X-Request-Id": requestId, ETag: etag });
      if (headers["if-none-match"] === etag) {
        set.status = 304;
        return;
      }
      set.headers["content-type"] = "application/json";
      return body;
    });
  return (request: Request) => app.fetch(request);
}

function elysiaLimit(max: number, duration: number) {
  return rateLimit({
    duration,
    max,
    context: new DefaultContext(MAX_CLIENTS),
    generator: (request) => request.headers.get("x-forwarded-for") ?? "",
    // The plugin finds a server only where Elysia itself listens. The generator above needs no server.
    injectServer: () => null,
  });
}
