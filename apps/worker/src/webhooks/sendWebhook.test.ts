import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { localhostCertificate } from "@dueday/worker/test/localhostCertificate";
import { type Receiver, startReceiver } from "@dueday/worker/test/startReceiver";
import { type SendOptions, type SendOutcome, sendWebhook } from "./sendWebhook";

setDefaultTimeout(60_000);

/** Everything of this machine that must not be reached. */
const trap = await startReceiver();
const secureTrap = await startReceiver({ tls: localhostCertificate });
afterAll(() => Promise.all([trap.stop(), secureTrap.stop()]));
const ports = [trap.port, secureTrap.port];

/** Limits no destination. */
const targets: SendOptions["targets"] = { take: async () => ({ release() {} }) };

async function send(url: string, options: Partial<SendOptions> = {}): Promise<SendOutcome> {
  const message = { url, headers: { "Content-Type": "application/json" }, body: '{"type":"x"}' };
  const { signal } = new AbortController();
  const own = { resolve: async () => [], toLoopback: false, timeoutMs: 10_000, signal, targets, onSlow: () => true };
  const outcome = await sendWebhook(message, { ...own, ...options });
  if ("postponedMs" in outcome) throw new Error("no destination is limited");
  return outcome;
}

/** Hosts in forms that mean this machine or its networks; PORT is one of a trap. */
const urls = [
  "https://127.0.0.1:PORT/",
  "https://127.1:PORT/",
  "https://127.0.1:PORT/",
  "https://2130706433:PORT/",
  "https://0x7f000001:PORT/",
  "https://0x7f.0.0.1:PORT/",
  "https://0177.0.0.1:PORT/",
  "https://017700000001:PORT/",
  "https://127.0.0.1.:PORT/",
  "https://0.0.0.0:PORT/",
  "https://0:PORT/",
  "https://127.255.255.254:PORT/",
  "https://１２７.０.０.１:PORT/",
  "https://%31%32%37.0.0.1:PORT/",
  "https://[::1]:PORT/",
  "https://[0:0:0:0:0:0:0:1]:PORT/",
  "https://[::]:PORT/",
  "https://[::ffff:127.0.0.1]:PORT/",
  "https://[::ffff:7f00:1]:PORT/",
  "https://[::127.0.0.1]:PORT/",
  "https://[64:ff9b::127.0.0.1]:PORT/",
  "https://[64:ff9b:1::7f00:1]:PORT/",
  "https://[2002:7f00:1::]:PORT/",
  "https://[2001:0:7f00:1::]:PORT/",
  "https://[fe80::1]:PORT/",
  "https://[fc00::1]:PORT/",
  "https://[fd00:ec2::254]:PORT/",
  "https://[ff02::1]:PORT/",
  "https://10.0.0.1:PORT/",
  "https://172.16.0.1:PORT/",
  "https://192.168.0.1:PORT/",
  "https://100.64.0.1:PORT/",
  "https://100.100.100.200:PORT/",
  "https://169.254.169.254/latest/meta-data/",
  "https://168.63.129.16/",
  "https://192.0.0.192/",
  "https://198.18.0.1/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "http://127.0.0.1:PORT/",
  "http://localhost:PORT/",
  "https://user@127.0.0.1:PORT/",
  "https://127.0.0.1:22/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:PORT/",
  "data:,x",
] as const;

/** What a look-up of an attacker's name can answer. */
const answers: string[][] = [
  ["127.0.0.1"],
  ["0.0.0.0"],
  ["10.1.2.3"],
  ["172.31.255.255"],
  ["192.168.1.1"],
  ["169.254.169.254"],
  ["100.64.0.1"],
  ["168.63.129.16"],
  ["198.19.0.1"],
  ["240.0.0.1"],
  ["::1"],
  ["::"],
  ["::ffff:127.0.0.1"],
  ["::ffff:10.0.0.1"],
  ["64:ff9b::7f00:1"],
  ["2002:7f00:1::"],
  ["fe80::1"],
  ["fe80::1%lo"],
  ["fd00::1"],
  ["93.184.216.34", "127.0.0.1"],
  ["2606:2800:220:1::", "::1"],
  ["not an address"],
  [],
];

describe("a URL that leads to this machine or its networks is refused without a connection:", () => {
  test.each(urls)("%s", async (form) => {
    for (const port of ports) {
      const { failure, response } = await send(form.replace("PORT", String(port)));
      expect([failure, response]).toEqual(["ADDRESS_REFUSED", null]);
    }
    expect([trap.received, secureTrap.received]).toEqual([[], []]);
  });

  test.each(answers.map((each) => [each.join(" and ") || "nothing", each] as const))(
    "a name that resolves to %s",
    async (_name, addresses) => {
      for (const name of ["attacker.example", "localhost", "localhost.", "metadata.google.internal"]) {
        for (const port of ports) {
          const { failure } = await send(`https://${name}:${port}/`, { resolve: async () => addresses });
          expect(failure).toBe(addresses.length === 0 ? "UNRESOLVED" : "ADDRESS_REFUSED");
        }
      }
      expect([trap.received, secureTrap.received]).toEqual([[], []]);
    },
  );

  test("a name that resolves to a public address for the check and to this machine afterwards", async () => {
    let lookUps = 0;
    const resolve = async () => (++lookUps === 1 ? ["93.184.216.34"] : ["127.0.0.1"]);
    const { failure } = await send(`https://rebinding.example:${secureTrap.port}/`, { resolve, timeoutMs: 500 });
    expect(["TIMEOUT", "CONNECTION"]).toContain(failure ?? "");
    expect(lookUps).toBe(1);
    expect([trap.received, secureTrap.received]).toEqual([[], []]);
  });
});

test("the machine's own name is accepted for trials, and another name that resolves to it is not", async () => {
  const resolve = async () => ["127.0.0.1"];
  for (const url of [trap.url, trap.url.replace("127.0.0.1", "localhost")])
    expect((await send(url, { resolve, toLoopback: true })).failure).toBeNull();
  trap.received.length = 0;
  expect((await send(`https://attacker.example:${trap.port}/`, { resolve, toLoopback: true })).failure).toBe(
    "ADDRESS_REFUSED",
  );
  expect((await send(`http://10.0.0.1:${trap.port}/`, { toLoopback: true })).failure).toBe("ADDRESS_REFUSED");
  expect(trap.received).toEqual([]);
});

describe("a connection", () => {
  const toLoopback = true;

  test("goes to the address that was checked, not to what the system would look up, and its certificate is that of the name", async () => {
    const receiver: Receiver = await startReceiver({ tls: localhostCertificate, host: "127.0.0.2" });
    const options = { toLoopback, resolve: async () => ["127.0.0.2"], certificates: localhostCertificate.cert };
    const sent = await send(`https://localhost:${receiver.port}/hook?a=b`, options);
    expect(sent).toEqual({ failure: null, response: { status: 204, body: "" }, unreachable: false });
    expect(receiver.received[0]?.headers).toMatchObject({ host: `localhost:${receiver.port}`, "content-length": "12" });
    // The certificate is not one of the address.
    expect((await send(`https://127.0.0.2:${receiver.port}/`, options)).failure).toBe("TLS");
    await receiver.stop();
  });

  test("with an untrusted certificate fails", async () => {
    const url = `https://localhost:${secureTrap.port}/`;
    expect((await send(url, { toLoopback, resolve: async () => ["127.0.0.1"] })).failure).toBe("TLS");
  });

  test("does not follow a redirect, wherever it leads", async () => {
    const redirecting = await startReceiver();
    for (const status of [301, 302, 303, 307, 308]) {
      for (const location of [trap.url, "http://169.254.169.254/", "/again"]) {
        redirecting.answer = (response) => response.writeHead(status, { Location: location }).end();
        expect(await send(redirecting.url, { toLoopback })).toMatchObject({
          failure: "REDIRECT",
          response: { status },
        });
      }
    }
    expect(redirecting.received).toHaveLength(15);
    expect(trap.received).toEqual([]);
    await redirecting.stop();
  });

  test("ends with the attempt: after the time limit, and when it is aborted", async () => {
    const silent = await startReceiver();
    let open = 0;
    silent.answer = (response) => {
      open++;
      response.on("close", () => open--);
    };
    expect((await send(silent.url, { toLoopback, timeoutMs: 300 })).failure).toBe("TIMEOUT");
    const aborter = new AbortController();
    const before = silent.received.length;
    const aborted = send(silent.url, { toLoopback, signal: aborter.signal });
    await waitUntil("the request that is aborted", () => silent.received.length > before);
    aborter.abort(new Error("the worker stops"));
    await expect(aborted).rejects.toThrow("the worker stops");
    await waitUntil("the connections to be closed", () => open === 0);
    await silent.stop();
  });

  test("to a name whose look-up does not end is over after the time limit", async () => {
    const never = () => new Promise<string[]>(() => {});
    expect((await send("https://slow.example/", { resolve: never, timeoutMs: 100 })).failure).toBe("TIMEOUT");
  });
});
