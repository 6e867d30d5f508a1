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

/** How many requests a client may send in a minute: it admits all of a run, and every request is counted. */
export const LIMIT = 10_000;
const MINUTE_MS = 60_000;
/** Room for every client, where a limiter bounds their number. */
const MAX_CLIENTS = 20_000;

export const peers = ["fastify", "hono", "elysia"] as const;
export type Peer = (typeof peers)[number];

type Duties = {
  logger: pino.Logger;
  /** Writes the log line of a request, and counts it. */
  finish(method: string, path: string, status: number, startedAt: number): void;
};

/**
 * Starts a server with the duties of the API on a polled read: an answer with its tag or a 304, a limit for each client that a proxy
 * forwards, a log line, a histogram. Each has the limiter that its documentation names.
 *
 * @param redis path of the socket of the Redis that counts; Fastify alone. Default: counted in memory
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
    finish(method, path, status, startedAt) {
      const milliseconds = performance.now() - startedAt;
      durations.observe({ path, status }, milliseconds / 1000);
      logger.info({ requestId: crypto.randomUUID(), method, path, status, milliseconds }, "request");
    },
  };
}

async function serveFastify({ path, body, etag }: PeerAnswer, redis?: string): Promise<string> {
  const { logger, finish } = createDuties();
  const app = fastify({ loggerInstance: logger, disableRequestLogging: true, trustProxy: true });
  await app.register(fastifyRateLimit, {
    max: LIMIT,
    timeWindow: MINUTE_MS,
    cache: MAX_CLIENTS,
    ...(redis !== undefined && { redis: new Redis(redis) }),
  });
  app.get(path, async (request, reply) => {
    reply.header("ETag", etag);
    if (request.headers["if-none-match"] === etag) return reply.code(304).send();
    return reply.type("application/json").send(body);
  });
  app.addHook("onResponse", async ({ method }, { statusCode, elapsedTime }) => {
    finish(method, path, statusCode, performance.now() - elapsedTime);
  });
  return await app.listen({ port: 0, host: "127.0.0.1" });
}

function honoApp({ path, body, etag }: PeerAnswer) {
  const { finish } = createDuties();
  const app = new Hono();
  app.use(async (context, next) => {
    const startedAt = performance.now();
    await next();
    finish(context.req.method, path, context.res.status, startedAt);
  });
  app.use(
    rateLimiter({
      windowMs: MINUTE_MS,
      limit: LIMIT,
      standardHeaders: "draft-7",
      keyGenerator: (context) => context.req.header("x-forwarded-for") ?? "",
    }),
  );
  app.get(path, (context) => {
    context.header("ETag", etag);
    if (context.req.header("if-none-match") === etag) return context.body(null, 304);
    return context.body(body, 200, { "Content-Type": "application/json" });
  });
  return (request: Request) => app.fetch(request);
}

function elysiaApp({ path, body, etag }: PeerAnswer) {
  const { finish } = createDuties();
  const app = new Elysia()
    .derive({ as: "global" }, () => ({ startedAt: performance.now() }))
    // Elysia applies it to the routes that follow.
    .onAfterResponse({ as: "global" }, ({ request, set, startedAt }) => {
      finish(request.method, path, typeof set.status === "number" ? set.status : 200, startedAt);
    })
    .use(
      rateLimit({
        duration: MINUTE_MS,
        max: LIMIT,
        context: new DefaultContext(MAX_CLIENTS),
        generator: (request) => request.headers.get("x-forwarded-for") ?? "",
        // It finds a server only where Elysia itself listens; the generator above needs none.
        injectServer: () => null,
      }),
    )
    .get(path, ({ headers, set }) => {
      set.headers.etag = etag;
      if (headers["if-none-match"] === etag) {
        set.status = 304;
        return;
      }
      set.headers["content-type"] = "application/json";
      return body;
    });
  return (request: Request) => app.fetch(request);
}
