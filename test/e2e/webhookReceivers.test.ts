import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@dueday/db/embedded/freePort";
import { createDueday } from "@dueday/sdk";
import { verifyWebhook } from "@dueday/sdk/webhooks";
import { buildGoExample } from "@dueday/test-support/buildGoExample";
import { ensureProgram, programs } from "@dueday/test-support/ensureProgram";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startDueday } from "@dueday/testkit";
import { POST } from "../../examples/webhooks/next/app/hooks/dueday/route";

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, "../..");
const PYTHON = "examples/python/dueday.py";
const cleanUps: (() => unknown)[] = [];
const stack = await startDueday();
afterAll(async () => {
  for (const cleanUp of cleanUps) await cleanUp();
  await stack.stop();
});

/** A program of this repository, and what it has printed. */
function start(command: string[], env: Record<string, string> = {}) {
  const child = Bun.spawn(command, { cwd: ROOT, env: { ...Bun.env, ...env }, stdout: "pipe", stderr: "inherit" });
  let printed = "";
  (async () => {
    for await (const chunk of child.stdout) printed += new TextDecoder().decode(chunk);
  })();
  cleanUps.push(async () => {
    child.kill();
    await child.exited;
  });
  return { printed: () => printed };
}

const folder = await mkdtemp(join(tmpdir(), "dueday-go-"));
cleanUps.push(() => rm(folder, { recursive: true }));
const python = ensureProgram(programs.python) ?? "python3";
const goProgram = buildGoExample(folder);

type Receiver = [name: string, command: string[]];

const RECEIVERS: Receiver[] = [
  ["Express", [process.execPath, "examples/webhooks/express.ts"]],
  ["Fastify", [process.execPath, "examples/webhooks/fastify.ts"]],
  ["Hono", [process.execPath, "examples/webhooks/hono.ts"]],
  ["Python", [python, PYTHON, "webhooks"]],
  // Debian's images for Bun have no compiler of Go.
  ...(goProgram === null ? [] : [["Go", [goProgram, "webhooks"]] satisfies Receiver]),
];

test("the receivers in Express, Fastify, Hono and Python answer the challenge, and verify and print an event of the chain", async () => {
  const receivers = await Promise.all(
    RECEIVERS.map(async ([name, command]) => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}/hooks/dueday`;
      const { secret, enable } = await stack.createWebhook(url, { types: ["payment.paid"] });
      const { printed } = start(command, { WEBHOOK_SECRET: secret, PORT: String(port) });
      const post = async (body: string, headers: Record<string, string> = {}) => {
        const json = { "Content-Type": "application/json" };
        return (await fetch(url, { method: "POST", headers: { ...json, ...headers }, body })).status;
      };
      await waitUntil(`${name} listens`, () => post("{}").then(Boolean, () => false));
      await enable();
      return { name, printed, post };
    }),
  );
  const { transactions } = await stack.settle();
  expect(transactions.length).toBeGreaterThan(0);
  for (const { name, printed, post } of receivers) {
    await waitUntil(`${name} prints an event`, async () => printed().includes("payment.paid\n"));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const forged = { "webhook-id": "1", "webhook-timestamp": timestamp, "webhook-signature": "v1,AAAA" };
    expect([name, await post("{}"), await post('{"type":"payment.paid"}', forged)]).toEqual([name, 400, 400]);
  }
});

test("the recorded request of docs/webhooks.md is verified by the SDK and by the Python example", async () => {
  const doc = await readFile(join(ROOT, "docs/webhooks.md"), "utf8");
  const [, lines = ""] = /```\n(secret +whsec_[^`]*)```/.exec(doc) ?? [];
  const given = Object.fromEntries(
    lines
      .trim()
      .split("\n")
      .map((line) => line.split(/ {2,}/)),
  );
  const { secret = "", body = "", ...headers } = given;
  const now = Number(headers["webhook-timestamp"]);
  expect(await verifyWebhook({ headers, body }, secret, { now: () => now * 1000 })).toMatchObject({
    type: "webhook.test",
  });
  const call =
    "import json, sys, dueday; b, h, s, n = json.load(sys.stdin); print(dueday.verify(b.encode(), h, s, n)['type'])";
  const verified = Bun.spawnSync([python, "-B", "-c", call], {
    cwd: join(ROOT, "examples/python"),
    stdin: Buffer.from(JSON.stringify([body, headers, secret, now])),
  });
  expect(verified.stdout.toString()).toBe("webhook.test\n");
});

test("the route handler of Next.js answers 400 to a request without a signature", async () => {
  const request = new Request("http://shop.example/hooks/dueday", { method: "POST", body: "{}" });
  expect((await POST(request)).status).toBe(400);
});

test("a webhook whose receiver does not answer the challenge is not enabled, and the error has the reason", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("no") });
  cleanUps.push(() => server.stop(true));
  const { id, apiKey, enable } = await stack.createWebhook(server.url.href);
  await expect(enable()).rejects.toThrow(/did not answer the challenge/);
  const dueday = createDueday({ baseUrl: stack.url, apiKey });
  expect((await dueday.getWebhook({ id })).enabled).toBe(false);
});

test.each(["express.ts", "fastify.ts", "hono.ts", "next/app/hooks/dueday/route.ts"])(
  "docs/webhooks.md has examples/webhooks/%s as it is run",
  async (path) => {
    const doc = await readFile(join(ROOT, "docs/webhooks.md"), "utf8");
    expect(doc).toContain(await readFile(join(ROOT, "examples/webhooks", path), "utf8"));
  },
);
