import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type IncomingHttpHeaders, request } from "node:http";
import { sendRaw } from "@dueday/api/test/sendRaw";
import { freePort } from "@dueday/db/embedded/freePort";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { ensureProgram, programs } from "@dueday/test-support/ensureProgram";
import { testRedis } from "@dueday/test-support/services";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startProcess, type TestProcess } from "./startProcess";
import { type RunningProxy, startProxy, startProxyInFront } from "./startProxy";

/** Linux answers on all of 127.0.0.0/8: each API gets its own address, as in the network of the containers. */
const ADDRESSES = ["127.0.0.2", "127.0.0.3"] as const;
/** Of the proxy in front of the proxy. */
const IN_FRONT = "127.0.0.5";
const PER_MINUTE = 10;

type Sent = { method?: string; from?: string; headers?: Record<string, string>; body?: string };
type Received = { status: number; headers: IncomingHttpHeaders; text: string };

const program = process.platform === "linux" ? ensureProgram(programs.nginx) : null;
if (process.platform !== "linux") console.warn("skipped: every test behind the proxy of compose.yaml: it needs Linux");
const redis = await testRedis();
const { url: databaseUrl } = await createTestDatabase();

describe.if(program !== null && redis !== null)("two APIs behind the proxy of compose.yaml", () => {
  const apis: TestProcess[] = [];
  let port: number;
  let proxy: RunningProxy;
  let inFront: RunningProxy;

  beforeAll(async () => {
    port = await freePort();
    proxy = await startProxy({ program: program ?? "", addresses: ADDRESSES, port, inFront: IN_FRONT });
    inFront = await startProxyInFront(program ?? "", IN_FRONT, proxy.url);
    for (const index of ADDRESSES.keys()) await startApi(index);
  });

  afterAll(async () => {
    for (const api of apis) await api.dispose();
    await inFront?.stop();
    await proxy?.stop();
  });

  async function startApi(index: number): Promise<void> {
    await apis[index]?.dispose();
    const env = {
      HOST: ADDRESSES[index] ?? "",
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis?.startsWith("/") ? `unix://${redis}` : String(redis),
      TRUSTED_PROXIES: "127.0.0.1/32",
      CHAINS: "31337",
      CHAIN_31337_RPC_URLS: "http://127.0.0.1:9",
      CHAIN_31337_CONTRACT: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
      LIMIT_FREE_GLOBAL_RPM: String(PER_MINUTE),
    };
    apis[index] = await startProcess("apps/api/src/main.ts", { env });
    await apis[index].printed(/API on (http\S+)/);
  }

  async function requestsSeenBy(index: number): Promise<number> {
    const lines = ((await apis[index]?.output()) ?? "").split("\n");
    return lines.filter((line) => line.includes('"msg":"request"')).length;
  }

  /** Where Redis is late each API counts for itself. */
  const most = () => PER_MINUTE * (apis.length + 1);

  /** Requests of one client, each with another X-Forwarded-For, until one is refused. */
  async function requestsUntilRefused(url: string, from: string): Promise<number> {
    let sent = 0;
    const send429 = async () => {
      const headers = { "X-Forwarded-For": `203.0.113.${sent}` };
      return (await send(`${url}/nothing`, { from, headers })).status === 429;
    };
    while (sent <= most() && !(await send429())) sent += 1;
    return sent;
  }

  test("a client is counted by its own address, whatever X-Forwarded-For it makes up", async () => {
    expect(await requestsUntilRefused(proxy.url, "127.0.0.77")).toBeWithin(PER_MINUTE, most() + 1);
    const other = await send(`${proxy.url}/nothing`, { from: "127.0.0.78" });
    expect(other.status).toBe(404);
    expect(other.headers).toMatchObject({ "x-service-lane": "free", ratelimit: expect.stringContaining("global") });
    expect(await proxy.log()).not.toContain("127.0.0.77");
  });

  test("behind another proxy too each client is counted by its own address, whatever X-Forwarded-For it makes up", async () => {
    expect(await requestsUntilRefused(inFront.url, "127.0.0.87")).toBeWithin(PER_MINUTE, most() + 1);
    for (let client = 100; client < 100 + 2 * most(); client += 1) {
      const { status } = await send(`${inFront.url}/nothing`, { from: `127.0.0.${client}` });
      expect(status).toBe(404);
    }
    // The same client, without the proxy in front.
    expect((await send(`${proxy.url}/nothing`, { from: "127.0.0.87" })).status).toBe(429);
    expect(await proxy.log()).not.toContain("127.0.0.87");
  });

  test("requests that a client pipelines are all answered, in their order", async () => {
    const indexes = [..."0123456789"];
    // Of what is not answered at once, as this, Bun itself drops all that comes in one packet.
    const text = await sendRaw(
      proxy.url,
      indexes.flatMap((index) => [
        "GET /status HTTP/1.1",
        "Host: localhost",
        `X-Request-Id: 00000000-0000-4000-8000-00000000000${index}`,
        ...(index === indexes.at(-1) ? ["Connection: close"] : [""]),
      ]),
    );
    const found = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, part]) => part);
    expect(found(/^x-request-id: [0-9a-f-]*(\d)\r$/gim)).toEqual(indexes);
    expect(found(/HTTP\/1\.1 (200|503) /g)).toHaveLength(indexes.length);
  });

  test("an API that is killed costs no read, and gets requests again after its restart", async () => {
    const failed: unknown[] = [];
    let reads = 0;
    let stopped = false;
    const reader = async () => {
      while (!stopped) {
        const answer = await send(`${proxy.url}/`).catch((error: unknown) => error);
        reads += 1;
        if (!isOk(answer)) failed.push(answer);
      }
    };
    const readers = [reader(), reader(), reader(), reader()];
    const moreReads = (count: number) => {
      const enough = reads + count;
      return waitUntil(`${count} more reads`, () => reads >= enough);
    };
    try {
      await moreReads(20);
      apis[0]?.kill("SIGKILL");
      await apis[0]?.exited();
      await moreReads(100);
      await startApi(0);
      await waitUntil("the API to be asked again", async () => (await requestsSeenBy(0)) >= 10);
    } finally {
      stopped = true;
      await Promise.all(readers);
    }
    expect(failed).toEqual([]);
  });

  test("a request has one id: the client's own, or one that the proxy makes and the API logs", async () => {
    const own = crypto.randomUUID();
    const answers = [own, "not a UUID"].map((id) => send(`${proxy.url}/`, { headers: { "X-Request-Id": id } }));
    const [given, made] = (await Promise.all(answers)).map(({ headers }) => String(headers["x-request-id"]));
    expect(given).toBe(own);
    expect(made).toMatch(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    await waitUntil("proxy and API to have logged it", async () => {
      const logs = [await proxy.log(), ...(await Promise.all(apis.map((api) => api.output())))];
      return logs.filter((log) => log.includes(`"requestId":"${made}"`)).length === 2;
    });
  });

  test("a body of more than 64 KiB is refused by the API, but for MCP", async () => {
    for (const length of [65 * 1024, 1024 * 1024]) {
      const refused = await post(`${proxy.url}/prepare/remit`, length);
      expectError(refused, 413, "PAYLOAD_TOO_LARGE");
      expect(refused.headers["x-service-lane"]).toBe("free");
    }
    const taken = await post(`${proxy.url}/mcp`, 1024 * 1024);
    expect([taken.status, taken.headers["x-service-lane"]]).toEqual([400, "free"]);
  });

  test("a body of more than 1 MiB is refused by the proxy, as an error of the service", async () => {
    const refused = await post(`${proxy.url}/mcp`, 1024 * 1024 + 1);
    expectError(refused, 413, "PAYLOAD_TOO_LARGE");
    expect(refused.headers["x-service-lane"]).toBeUndefined();
  });
});

describe.if(program !== null)("the proxy of compose.yaml", () => {
  async function behind(addresses: readonly string[], ask: (url: string) => Promise<Received>) {
    const proxy = await startProxy({ program: program ?? "", addresses, port: await freePort() });
    try {
      const answer = await ask(proxy.url);
      return { answer, log: await proxy.log() };
    } finally {
      await proxy.stop();
    }
  }

  test.each([
    ["while no API has an address", []],
    ["while no API answers at its address", ADDRESSES],
  ])("%s is reported as an error of the service, with Retry-After", async (_when, addresses) => {
    const { answer, log } = await behind(addresses, (url) => send(`${url}/docs/a.html`, { from: "127.0.0.77" }));
    expectError(answer, 503, "UPSTREAM_UNAVAILABLE");
    expect(answer.headers["retry-after"]).toBe("2");
    expect(log).not.toContain("127.0.0.77");
  });

  test("refuses headers that are too long as an error of the service", async () => {
    const headers = { "X-Long": "x".repeat(40_000) };
    const { answer } = await behind(ADDRESSES, (url) => send(url, { headers }));
    expectError(answer, 400, "VALIDATION_ERROR");
  });
});

function isOk(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "status" in answer && answer.status === 200;
}

function post(url: string, length: number): Promise<Received> {
  const headers = { "Content-Type": "application/json", "Content-Length": String(length) };
  return send(url, { method: "POST", from: "127.0.0.79", headers, body: " ".repeat(length) });
}

/** A request from a given local address, which `fetch` can't set. */
function send(url: string, { method = "GET", from = "127.0.0.1", headers = {}, body = "" }: Sent = {}) {
  return new Promise<Received>((resolve, reject) => {
    const sent = request(url, { method, headers, localAddress: from, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on("error", reject);
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function expectError({ status, headers, text }: Received, expected: number, code: string): void {
  expect({ status, type: headers["content-type"], text }).toMatchObject({ status: expected, type: "application/json" });
  const docs = `/docs/errors#${code}`;
  expect(JSON.parse(text)).toEqual({ error: expect.any(String), code, docs, requestId: headers["x-request-id"] });
}
