import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecretBox } from "@dueday/db/webhooks/secretBox";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startReceiver } from "@dueday/worker/test/startReceiver";
import { createWebhookFixture } from "@dueday/worker/test/startWebhookFixture";
import { startProcess } from "./startProcess";

// Real processes with a secret in each setting that can hold one, at the most talkative level, through faults of everything they talk to.

setDefaultTimeout(240_000);

const NOWHERE = 1;
const cleanUps: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** Secrets by what holds them. */
function createSecrets() {
  const all = new Map<string, string>();
  return {
    /** Text that is nowhere else. */
    make(name: string): string {
      const secret = `leak${crypto.randomUUID().replaceAll("-", "")}`;
      all.set(name, secret);
      return secret;
    },
    /** Names of the secrets that a text has. */
    foundIn: (text: string) => [...all].filter(([, secret]) => text.includes(secret)).map(([name]) => name),
    add: (name: string, secret: string) => void all.set(name, secret),
  };
}

/** A URL with a secret in each of its parts that can be one. */
function urlWith(url: string, name: string, { make }: ReturnType<typeof createSecrets>): string {
  const whole = new URL(url);
  whole.username = make(`${name} user`);
  whole.password = make(`${name} password`);
  whole.pathname = `/v2/${make(`${name} path`)}`;
  whole.searchParams.set("key", make(`${name} parameter`));
  return whole.href;
}

async function startFaultyChain() {
  const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
  cleanUps.push(() => devnet.stop());
  const node = await startTcpProxy();
  cleanUps.push(node.stop);
  const port = Number(new URL(devnet.url).port);
  node.pointAt(port);
  return { devnet, node, port, url: `http://127.0.0.1:${node.port}` };
}

test("worker and API log no secret of their settings, of webhooks, or of clients at level trace, whatever fails", async () => {
  const secrets = createSecrets();
  const { devnet, node, port, url } = await startFaultyChain();
  const testDatabase = await createTestDatabase();
  const store = await startTcpProxy();
  cleanUps.push(store.stop);
  const databaseUrl = new URL(testDatabase.url);
  const storePort = Number(databaseUrl.port);
  store.pointAt(storePort);
  databaseUrl.port = String(store.port);
  databaseUrl.username = secrets.make("database user");
  databaseUrl.password = secrets.make("database password");
  const { sql } = testDatabase.database;
  await sql`create role ${sql(databaseUrl.username)} superuser login password ${sql.unsafe(`'${databaseUrl.password}'`)}`;
  const secretsKey = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  secrets.add("SECRETS_KEY", secretsKey);
  const env = {
    PORT: "0",
    LOG_LEVEL: "trace",
    DATABASE_URL: databaseUrl.href,
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: `${urlWith("http://127.0.0.1:1", "rpc", secrets)},${url}/?key=${secrets.make("second rpc")}`,
    CHAIN_31337_BACKFILL_RPC_URLS: urlWith("http://127.0.0.1:1", "backfill", secrets),
    CHAIN_31337_LOGS_RPC_URLS: urlWith("http://127.0.0.1:1", "logs", secrets),
    CHAIN_31337_WS_URL: urlWith("ws://127.0.0.1:1", "ws", secrets),
    CHAIN_31337_CONTRACT: devnet.contract,
    CHAIN_31337_MAX_CLOCK_AHEAD_SECONDS: "31536000",
    SCAN_INTERVAL_MS: "1000",
    ADMIN_SECRET: secrets.make("ADMIN_SECRET"),
    SECRETS_KEY: secretsKey,
    WEBHOOKS_TO_LOOPBACK: "true",
  };
  // The worker's own box opens what this one has sealed.
  const fixture = createWebhookFixture(testDatabase, 31337, {
    contract: devnet.contract,
    box: createSecretBox(secretsKey),
  });
  const receiver = await startReceiver();
  cleanUps.push(receiver.stop);
  const worker = await startProcess("apps/worker/src/main.ts", { env });
  const api = await startProcess("apps/api/src/main.ts", { env });
  cleanUps.push(worker.dispose, api.dispose);
  const [, apiUrl = ""] = await api.printed(/API on (http\S+)/);
  const healthy = () =>
    waitUntil("the service to be well", async () => (await fetch(`${apiUrl}/status`, { keepalive: false })).ok);
  await healthy();
  const target = new URL(receiver.url);
  target.searchParams.set("token", secrets.make("webhook URL"));
  receiver.answer = (response) => response.writeHead(500).end(secrets.make("a receiver's answer"));
  const hook = { url: target.href, secret: "" };
  await fixture.addWebhook(hook);
  secrets.add("webhook secret", hook.secret.replace("whsec_", ""));
  await fixture.append(3);
  await waitUntil("attempts", () => receiver.received.length > 0);

  const credentials = [
    { Authorization: `Bearer ${secrets.make("bearer")}` },
    { Cookie: `__Host-dueday_session=${secrets.make("cookie")}` },
    { "X-Service-Admin-Key": secrets.make("wrong admin secret") },
    { "X-Service-Admin-Key": env.ADMIN_SECRET },
  ];
  const ask = async () => {
    for (const headers of credentials) {
      for (const path of ["/developer/keys", "/webhooks", "/protocol/state", `/catalog?key=${secrets.make("query")}`])
        await (await fetch(apiUrl + path, { headers, keepalive: false })).text();
    }
  };
  await ask();
  node.pointAt(NOWHERE);
  node.cut();
  await ask();
  store.pointAt(NOWHERE);
  store.cut();
  await ask();
  await waitUntil("the worker to note both", async () => /database does not answer/.test(await worker.output()));
  store.pointAt(storePort);
  node.pointAt(port);
  await healthy();
  await ask();
  for (const each of [worker, api]) {
    each.kill("SIGTERM");
    await each.exited();
    const output = await each.output();
    expect(output.split("\n").length).toBeGreaterThan(10);
    expect(secrets.foundIn(output)).toEqual([]);
  }
});

test.each(["apps/worker/src/main.ts", "apps/api/src/main.ts"])(
  "%s refuses settings without repeating what may be a secret",
  async (program) => {
    const secrets = createSecrets();
    const env = {
      LOG_LEVEL: "trace",
      DATABASE_URL: `mysql://user:${secrets.make("database")}@host/database`,
      REDIS_URL: `http://user:${secrets.make("redis")}@host`,
      CHAINS: "31337",
      CHAIN_31337_RPC_URLS: `htp://host/${secrets.make("rpc")}, ${secrets.make("no URL")}`,
      CHAIN_31337_WS_URL: `http://host/${secrets.make("ws")}`,
      CHAIN_31337_CONTRACT: secrets.make("in the wrong place"),
      ADMIN_SECRET: secrets.make("ADMIN_SECRET"),
      SECRETS_KEY: secrets.make("SECRETS_KEY"),
    };
    const refused = await startProcess(program, { env });
    cleanUps.push(refused.dispose);
    expect(await refused.exited()).not.toBe(0);
    const output = await refused.output();
    expect(output).toContain("CHAIN_31337_RPC_URLS");
    expect(secrets.foundIn(output)).toEqual([]);
  },
);

test("a keeper logs no secret of its settings, whatever node, price or notification fails", async () => {
  const secrets = createSecrets();
  const { devnet, node, port, url } = await startFaultyChain();
  const folder = await mkdtemp(join(tmpdir(), "dueday-secrets-"));
  cleanUps.push(() => rm(folder, { recursive: true }));
  const config = join(folder, "keeper.toml");
  const [token] = devnet.tokens;
  await Bun.write(
    config,
    [
      "direct = true",
      "interval_seconds = 1",
      "window_seconds = 0",
      "[notify]",
      `urls = ["${urlWith("http://127.0.0.1:1", "notify", secrets)}"]`,
      "[chains.31337]",
      `rpc_urls = ["${urlWith("http://127.0.0.1:1", "rpc", secrets)}", "${url}/?key=${secrets.make("second rpc")}"]`,
      `contract = "${devnet.contract}"`,
      "[chains.31337.prices]",
      `"${token}" = { url = "${urlWith("http://127.0.0.1:1", "price", secrets)}", min_wei = "1", max_wei = "1000000000000000000" }`,
    ].join("\n"),
  );
  await chmod(config, 0o600);
  secrets.add("private key", devnet.keeper.privateKey.slice(2));
  const env = { KEEPER_PRIVATE_KEY: devnet.keeper.privateKey, KEEPER_API_KEY: secrets.make("API key") };
  const keeper = await startProcess("apps/keeper/src/main.ts", { args: ["--config", config], env });
  cleanUps.push(keeper.dispose);
  const printed = async (what: string, pattern: RegExp) =>
    waitUntil(what, async () => pattern.test(await keeper.output()) || keeper.hasExited());
  await printed("a round", /price|settled/);
  node.pointAt(NOWHERE);
  node.cut();
  await printed("the outage", /can't be reached/);
  node.pointAt(port);
  keeper.kill("SIGTERM");
  await keeper.exited();
  const output = await keeper.output();
  expect(secrets.foundIn(output)).toEqual([]);
});
