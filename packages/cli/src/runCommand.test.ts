import { afterAll, expect, test } from "bun:test";
import { comparable } from "@dueday/api/test/comparable";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { planId, planToken } from "@dueday/devnet/demoArguments";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { runCommand } from "./runCommand";

const ADMIN_SECRET = "0123456789abcdef0123456789abcdef";
const { api, devnet, stop } = await startDemoApi({ ADMIN_SECRET });
afterAll(stop);
const id = planId(devnet);
const token = await planToken(devnet);
const read = async (path: string): Promise<Record<string, unknown>> =>
  Object(await (await fetch(`${api.url}${path}`)).json());
const event = Object(await read("/events?types=payment.paid&first=1")).events[0];
const provider = String(event.data.provider);
const subscriber = String(event.data.subscriber);
const hash = String(event.transactionHash);

async function run(...args: string[]) {
  return runAgainst(api.url, ...args);
}

async function runAgainst(baseUrl: string, ...args: string[]) {
  return runIn({ DUEDAY_API: baseUrl }, ...args);
}

async function runIn(env: Record<string, string>, ...args: string[]) {
  let [out, errors] = ["", ""];
  const code = await runCommand(args, {
    env,
    write: (text) => {
      out += text;
    },
    writeError: (text) => {
      errors += text;
    },
  });
  return { code, out, errors };
}

const READINGS: [command: string[], path: string, title: string][] = [
  [["due", "--date", "2026-09-18"], "/subscriptions/due?date=2026-09-18", "Due on 2026-09-18\nfrequency  plan"],
  [["plan"], "/remit/plan", "Plan of remit(): 12 transactions, 87 payments, 7 failures\ntransaction  day"],
  [["forecast"], "/remit/forecast", "Backlog\nfield"],
  [["subscription", id], `/subscriptions/${id}`, "Plan\nfield"],
  [["account", subscriber], `/accounts/${subscriber}`, `Plans that ${subscriber} pays for\nplan`],
  [["health", subscriber], `/accounts/${subscriber}/health`, `Tokens of ${subscriber}, for the charges of`],
  [["income", provider], `/providers/${provider}/income?group=month`, `Income of ${provider}\nfrom`],
  [["metrics", provider], `/providers/${provider}/metrics?group=month`, "Members and monthly recurring revenue"],
  [["events", "--first", "3"], "/events?first=3", "Events\nseq  time"],
];

const OTHERS = [["status"], ["permits", "--token", provider], ["prepare", "remit", "--from", provider]];

test.each([...READINGS.map(([command]) => [command]), ...OTHERS.map((command) => [command])])(
  "%p exits with 4 where no service is there, and prints nothing of an answer",
  async (command) => {
    expect(await runAgainst("http://127.0.0.1:1", ...command)).toMatchObject({
      code: 4,
      out: "",
      errors: expect.stringContaining("NETWORK_ERROR"),
    });
  },
);

test("permits lists those of a token with a developer key, and is refused without", async () => {
  const permits = ["permits", "--token", token];
  expect(await run(...permits)).toMatchObject({ code: 3, out: "", errors: expect.stringContaining("LANE_REQUIRED") });
  const body = JSON.stringify({ subjectId: crypto.randomUUID() });
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${ADMIN_SECRET}` };
  const { key } = Object(await (await fetch(`${api.url}/developer/keys`, { method: "POST", headers, body })).json());
  const withKey = (...args: string[]) => runIn({ DUEDAY_API: api.url, DUEDAY_API_KEY: String(key) }, ...args);
  const table = await withKey(...permits);
  expect(table).toMatchObject({ code: 0, errors: "" });
  expect(table.out.replaceAll(/[0-9a-f-]{36}|\d{4}-.*Z/g, "N").replaceAll(/ {2,}/g, "  ")).toMatchSnapshot();
  const answer = await fetch(`${api.url}/permits?token=${token}`, { headers: { Authorization: `Bearer ${key}` } });
  const { out } = await withKey("--json", ...permits);
  expect(comparable(JSON.parse(out))).toEqual(comparable(Object(await answer.json())));
});

test.each(READINGS)("%p prints a table, and with --json the answer of the API", async (command, path, title) => {
  const table = await run(...command);
  expect(table).toMatchObject({ code: 0, errors: "" });
  expect(table.out).toStartWith(title);
  // Hashes and gas depend on the compiler of the contracts.
  expect(table.out.replaceAll(/0x[0-9a-f]{64}|\b\d{5,}\b/g, "N").replaceAll(/ {2,}/g, "  ")).toMatchSnapshot();
  const { code, out } = await run("--json", ...command);
  expect(code).toBe(0);
  expect(comparable(JSON.parse(out))).toEqual(comparable(await read(path)));
});

test("a table has a line for each entry of the answer", async () => {
  const { transactions } = Object(await read("/remit/plan"));
  expect((await run("plan")).out.split("\n").filter((line) => /^\d/.test(line))).toHaveLength(transactions.length);
  expect((await run("account", subscriber)).out).toContain(String(event.data.id));
});

test("a page that is not the last one names the option of the next", async () => {
  const [page, rest] = [await run("events", "--first", "3"), await run("account", subscriber)];
  const { nextAfter } = Object(await read("/events?first=3"));
  expect(page.out).toEndWith(`There are more\nnext page\n--after ${nextAfter}\n`);
  expect((await run("account", subscriber, "--first", "1")).out).toEndWith("There are more\nnext page\n--skip\n");
  expect((await run("plan", "--first", "1")).out).toEndWith("There are more\nnext page\n--skip\n");
  expect(rest.out).not.toContain("There are more");
});

test("status of a hash prints the state of the transaction", async () => {
  const body = JSON.stringify({ txHash: hash });
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${api.url}/transactions/status`, { method: "POST", headers, body });
  const { out } = await run("status", hash);
  expect(out).toMatch(/^Transaction\nfield.*\nstatus +success\n/s);
  expect(out.replaceAll(/0x[0-9a-f]{64}|\d+\.\d{6,}|\b\d{5,}\b/g, "N").replaceAll(/ {2,}/g, "  ")).toMatchSnapshot();
  expect(comparable(JSON.parse((await run("--json", "status", hash)).out))).toEqual(
    comparable(Object(await answer.json())),
  );
});

test("status names the service and its chains, and with --json has each field of the API's answer", async () => {
  const { out } = await run("status");
  // Times, versions and what is measured change; the fields do not.
  expect(out.split("\n").map((line) => line.split(/ {2,}/)[0])).toMatchSnapshot();
  expect(out).toContain("Chains\nchain  node");
  const answer = await read("/status");
  const printed = Object(JSON.parse((await run("--json", "status")).out));
  expect(Object.keys(printed)).toEqual(Object.keys(answer));
  expect(printed.checks.chains[0].chainId).toBe(31337);
});

test.each(["income", "metrics"])("%s --csv is the file of the API", async (name) => {
  const headers = { Accept: "text/csv" };
  const file = await fetch(`${api.url}/providers/${provider}/${name}?group=month`, { headers });
  expect((await run(name, provider, "--csv")).out).toBe(await file.text());
});

test("events --follow prints events until it is ended", async () => {
  const end = new AbortController();
  const lines: string[] = [];
  const following = runCommand(["--json", "events", "--follow", "--after", "0"], {
    env: { DUEDAY_API: api.url },
    write: (text) => void lines.push(text),
    writeError: (text) => void lines.push(text),
    signal: end.signal,
  });
  await waitUntil("an event", () => Promise.resolve(lines.length > 0));
  end.abort();
  expect(await following.catch((error: Error) => error.name)).toBe(0);
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ chainId: 31337, type: expect.any(String) });
});

test("the exit code is 2 for usage, 3 for a refusal and 4 for a service that is away", async () => {
  expect((await run("no-such-command")).code).toBe(2);
  expect((await run("due", "--frequency", "daily")).code).toBe(2);
  expect((await runAgainst("nowhere", "due")).code).toBe(2);
  expect(await run("subscription", "0x12")).toMatchObject({ code: 2, errors: expect.stringContaining("id: ") });
  expect((await run("--help")).code).toBe(0);
  const unknown = await run("subscription", `0x${"12".repeat(32)}`);
  expect(unknown).toMatchObject({ code: 3, out: "" });
  expect((await runAgainst("http://127.0.0.1:1", "status")).code).toBe(4);
});

test("hostile texts of an answer reach the terminal neither as controls nor as bidirectional characters", async () => {
  const hostile = "a\u001b[31mred\u202Etxt\u0085\nforged";
  const server = Bun.serve({
    port: 0,
    fetch: ({ url }) =>
      url.includes("subscriptions")
        ? Response.json({ id: hostile, nested: { text: hostile } })
        : Response.json({ code: "NOT_FOUND", error: hostile }, { status: 404 }),
  });
  try {
    const unsafe = /(?!\n)[\p{Cc}\p{Cf}]/u;
    const table = await runAgainst(server.url.origin, "subscription", "0x1");
    expect(table.out).toContain("red");
    expect(table.out).not.toMatch(unsafe);
    expect(table.out.split("\n")).toHaveLength(5);
    const json = (await runAgainst(server.url.origin, "--json", "subscription", "0x1")).out;
    expect(json).not.toMatch(unsafe);
    expect(JSON.parse(json)).toEqual({ id: hostile, nested: { text: hostile } });
    const refused = await runAgainst(server.url.origin, "plan");
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.errors).not.toMatch(unsafe);
  } finally {
    await server.stop(true);
  }
});
