import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { waitUntil } from "@dueday/test-support/waitUntil";
import fc from "fast-check";
import { createResponseReader } from "./createResponseReader";
import { type SendOutcome, sendWebhook } from "./sendWebhook";

setDefaultTimeout(180_000);

/** What the endpoint does with a request that has arrived. */
let behave: (socket: Socket) => void = () => {};
const open = new Set<Socket>();
/** Bytes that the endpoint could write in a test. */
let written = 0;
const server = createServer((socket) => {
  open.add(socket);
  socket.on("close", () => open.delete(socket));
  socket.on("error", () => socket.destroy());
  socket.once("data", () => behave(socket));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => {
  for (const socket of open) socket.destroy();
  server.close();
});
const address = server.address();
if (address === null || typeof address === "string") throw new Error("a server on a port has an address");
const url = `http://127.0.0.1:${address.port}/`;

async function send(timeoutMs = 10_000): Promise<SendOutcome> {
  const outcome = await sendWebhook(
    { url, headers: { "Content-Type": "application/json" }, body: "{}" },
    {
      resolve: async () => [],
      toLoopback: true,
      timeoutMs,
      targets: { take: async () => ({ release() {} }) },
      onSlow: () => true,
      signal: new AbortController().signal,
    },
  );
  if ("postponedMs" in outcome) throw new Error("no destination is limited");
  return outcome;
}

/** Writes a text again and again until the connection ends, as fast as it is read. */
function flood(socket: Socket, start: string, repeated: string): void {
  written = 0;
  const text = repeated.repeat(Math.ceil(16_384 / repeated.length));
  const write = () => {
    while (!socket.destroyed) {
      written += text.length;
      if (!socket.write(text)) return void socket.once("drain", write);
    }
  };
  socket.write(start);
  write();
}

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

describe("a response is over at 64 KiB in all, however its bytes are called:", () => {
  test.each([
    ["one extension of a chunk", `${CHUNKED}5;`, "extension=0;"],
    ["chunks of one byte with extensions", CHUNKED, `1;${"e".repeat(200)}\r\na\r\n`],
    ["a status line", "HTTP/1.1 200 ", "OK "],
    ["interim responses", "", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["early hints", "", "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"],
    ["headers", OK, "X-More: of this\r\n"],
    ["one header", `${OK}X-More: `, "a"],
    ["trailers", `${CHUNKED}0\r\n`, "X-More: of this\r\n"],
    ["nothing that HTTP has", "", "\0\u0001\u0002"],
  ])("%s", async (_name, start, repeated) => {
    behave = (socket) => flood(socket, start, repeated);
    expect(await send()).toEqual({ failure: "RESPONSE", response: null, unreachable: false });
    await waitUntil("the connection to be closed", () => open.size === 0);
    // What lies in the buffers of both sides besides.
    expect(written).toBeLessThan(16 * 1024 * 1024);
  });

  test("a body, of which 16 KiB decide", async () => {
    behave = (socket) => flood(socket, `${OK}\r\n`, "a");
    expect((await send()).response).toMatchObject({ status: 200, body: "a".repeat(1_024) });
    await waitUntil("the connection to be closed", () => open.size === 0);
  });
});

describe("a response that two programs could read in two ways is refused:", () => {
  test.each([
    ["two lengths", "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab"],
    ["a length and chunks", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["another encoding", "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"],
    ["a length with a sign", "Content-Length: +1\r\n\r\na"],
    ["a folded header", "X-A: a\r\n b\r\n\r\n"],
    ["a space before the colon", "Content-Length : 1\r\n\r\na"],
    ["bare line feeds", "Content-Length: 0\n\n"],
    ["a chunk that is longer than its length", "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n"],
  ])("%s", async (_name, rest) => {
    behave = (socket) => void socket.end(OK + rest);
    expect((await send()).failure).toBe("RESPONSE");
  });
});

test("a response reads the same in whatever pieces it arrives", () => {
  const bodies = ["", "a", "thanks", "x".repeat(3_000)];
  const forms = bodies.flatMap((body) => [
    { body, bytes: `${OK}Content-Length: ${body.length}\r\n\r\n${body}` },
    {
      body,
      bytes: `HTTP/1.1 100 Continue\r\n\r\n${CHUNKED}${body === "" ? "" : `${body.length.toString(16)};a=b\r\n${body}\r\n`}0\r\nX-T: 1\r\n\r\n`,
    },
  ]);
  fc.assert(
    fc.property(
      fc.constantFrom(...forms),
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
      (form, sizes) => {
        const reader = createResponseReader();
        const bytes = Buffer.from(form.bytes);
        let [at, turn] = [0, 0];
        let response: ReturnType<typeof reader.push> = null;
        while (response === null && at < bytes.length) {
          const size = sizes[turn++ % sizes.length] ?? 1;
          response = reader.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect([response?.status, response?.body.toString()]).toEqual([200, form.body]);
      },
    ),
  );
});

/** Pieces that an endpoint can send in any order and number. */
const piece = fc.oneof(
  fc.constantFrom(
    OK,
    CHUNKED,
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    "HTTP/2 200\r\n",
    "Content-Length: 5\r\n\r\n",
    "Content-Length: 99999999999\r\n",
    "Transfer-Encoding: chunked\r\n\r\n",
    "5;ext\r\nabcde\r\n",
    "FFFFFFFF\r\n",
    "0\r\n\r\n",
    "\r\n",
    "\n",
    "\0",
  ),
  fc.string({ maxLength: 50 }),
  fc.integer({ min: 1, max: 300_000 }).map((length) => "e".repeat(length)),
);
const endings = fc.constantFrom("end", "destroy", "stay");

test("of 2,000 random endpoints none keeps a connection, and memory stays within 1.3 times of what it was after 200", async () => {
  const CASES = 2_000;
  const AT_ONCE = 20;
  const endpoint = fc.record({ pieces: fc.array(piece, { maxLength: 12 }), ending: endings });
  let base = 0;
  behave = (socket) => {
    const [{ pieces, ending } = { pieces: [], ending: "end" }] = fc.sample(endpoint, 1);
    for (const each of pieces) socket.write(each);
    if (ending === "end") socket.end();
    if (ending === "destroy") socket.destroy();
  };
  for (let done = 0; done < CASES; done += AT_ONCE) {
    if (done === 200) base = memory();
    await Promise.all(Array.from({ length: AT_ONCE }, () => send(150)));
  }
  await waitUntil("all connections to be closed", () => open.size === 0);
  const factor = memory() / base;
  console.log(`${CASES} endpoints: ${(base / 2 ** 20).toFixed(0)} MB after 200, then ${factor.toFixed(2)} times`);
  expect(factor).toBeLessThan(1.3);
});

function memory(): number {
  Bun.gc(true);
  return process.memoryUsage().rss;
}
