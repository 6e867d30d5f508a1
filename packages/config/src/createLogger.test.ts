import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createPublicClient, http } from "viem";
import { createLogger } from "./createLogger";
import { parseConfig } from "./parseConfig";
import type { Environment } from "./settingsReader";

const secrets = {
  DATABASE_URL: "postgres://user:p%40ssword-of-db@db.example:5432/name",
  REDIS_URL: "redis://:password-of-redis@cache.example:6379",
  CHAIN_8453_RPC_URLS: "https://node.example/v2/key-in-the-path,https://other.example/?key=key-in-the-query",
  CHAIN_8453_BACKFILL_RPC_URLS: "https://key-of-the-user@archive.example/",
  CHAIN_8453_LOGS_RPC_URLS: "https://logs.example/v2/key-in-the-logs",
  CHAIN_8453_WS_URL: "wss://push.example/v2/key-in-the-socket",
  CHAIN_8453_SUBGRAPH_URL: "https://graph.example/api/key-in-the-graph",
  ADMIN_SECRET: 'a "quoted" \\ admin secret',
  SUBGRAPH_API_KEY: "key-of-the-subgraph",
};

function logTo(env: Environment = {}) {
  const lines: string[] = [];
  const logger = createLogger(parseConfig(env), { write: (line) => void lines.push(line) });
  return { logger, lines };
}

test("a line is one JSON object with time, level, message and the fields given", () => {
  const { logger, lines } = logTo();
  logger.info({ requestId: "r", status: 200 }, "answered");
  expect(JSON.parse(lines.join(""))).toEqual({
    level: "info",
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    requestId: "r",
    status: 200,
    msg: "answered",
  });
});

test("lines below LOG_LEVEL are not written", () => {
  const { logger, lines } = logTo({ LOG_LEVEL: "warn" });
  logger.info("quiet");
  logger.warn("loud");
  expect(lines).toHaveLength(1);
});

test("no secret of the settings, nor a part of one, is in a line: not in a message, a field, an error or a child logger", () => {
  const { logger, lines } = logTo(secrets);
  for (const secret of Object.values(secrets)) {
    logger.info(`text ${secret}`);
    logger.info({ nested: { deep: [secret] } });
    logger.info({ path: `/${secret}` }, "request");
    logger.error(new Error(`failed with ${secret}`));
    logger.child({ bound: secret }).error({ reason: new Error(secret) }, secret);
  }
  logger.info("p@ssword-of-db password-of-redis key-in-the-path key-in-the-query key-of-the-user");
  logger.info("key-in-the-logs key-in-the-socket key-in-the-graph");
  expect(lines).toHaveLength(5 * Object.keys(secrets).length + 2);
  for (const line of lines) {
    expect(() => JSON.parse(line)).not.toThrow();
    expect(line).not.toMatch(/ssword-of|key-in|key-of|admin secret|\.example/);
  }
});

test("an upstream's message and URL are not logged: a viem error is logged by its names and codes", async () => {
  using upstream = Bun.serve({
    port: 0,
    fetch: () => Response.json({ error: { code: -32000, message: "text of the upstream" } }),
  });
  const client = createPublicClient({ transport: http(upstream.url.href, { retryCount: 0 }) });
  const { logger, lines } = logTo();
  const error = await client.getChainId().catch((reason: unknown) => reason);
  logger.error({ err: error, other: error }, "the chain did not answer");
  logger.error({ request: { failures: [error] } });
  logger.error({ err: error });
  logger.error(error);
  expect(lines.join("")).not.toMatch(/text of the upstream|127\.0\.0\.1|localhost|http:/);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ err: { code: -32000 }, other: { code: -32000 } });
});

test("the values of a failed statement are not logged, in causes and stacks either", () => {
  const { logger, lines } = logTo();
  const cause = Object.assign(new Error('invalid input: "bound-value"'), { severity: "ERROR", code: "22P02" });
  const error = Object.assign(new Error("Failed query: select $1\nparams: bound-value", { cause }), {
    query: "select $1",
  });
  logger.error({ err: error }, "no");
  expect(lines.join("")).not.toMatch(/bound-value|select/);
  expect(JSON.parse(lines.join(""))).toMatchObject({ err: { cause: { code: "22P02" } } });
});

test("an error of Redis is logged by its code, without its message", () => {
  const { logger, lines } = logTo();
  const refusal = new Error("WRONGTYPE Operation against limits:free:abc");
  logger.warn({ err: Object.assign(refusal, { code: "ERR_REDIS_SERVER_ERROR" }) }, "no");
  expect(lines.join("")).not.toMatch(/WRONGTYPE|limits:free/);
  expect(JSON.parse(lines.join(""))).toMatchObject({ err: { code: "ERR_REDIS_SERVER_ERROR" } });
});

test("this service's own error is logged with its message and its stack", () => {
  const { logger, lines } = logTo();
  logger.error({ err: new RangeError("dueDay must be 1..28") }, "refused");
  const { err } = JSON.parse(lines.join(""));
  expect(err).toMatchObject({ name: "RangeError", message: "dueDay must be 1..28" });
  expect(err.stack[0]).toContain("createLogger.test.ts");
});

test("lines on standard output are whole, in order and without secrets, to the last one before the process exits", () => {
  const script = `
    const { createLogger } = await import(${JSON.stringify(join(import.meta.dir, "createLogger.ts"))});
    const { parseConfig } = await import(${JSON.stringify(join(import.meta.dir, "parseConfig.ts"))});
    const logger = createLogger(parseConfig({ ADMIN_SECRET: "the-secret-of-the-admin" }));
    for (let index = 0; index < 5000; index++) {
      if (index % 3 === 0) logger.info({ index }, "the-secret-of-the-admin");
      else logger.info({ index, path: "/the-secret-of-the-admin" }, "request");
    }
    if (process.argv.at(-1) === "throw") throw new Error("end");
    process.exit(0);`;
  for (const ending of ["exit", "throw"]) {
    const { stdout } = spawnSync(process.execPath, ["-e", script, ending], { encoding: "utf8" });
    const lines = stdout.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).index)).toEqual(Array.from({ length: 5_000 }, (_, index) => index));
    expect(stdout).not.toContain("the-secret-of-the-admin");
  }
});
