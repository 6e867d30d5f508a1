import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verifyWebhook } from "@dueday/sdk/webhooks";
import { buildGoExample } from "@dueday/test-support/buildGoExample";
import { ensureProgram, programs } from "@dueday/test-support/ensureProgram";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startDueday } from "@dueday/testkit";
import { type Exchange, type Recording, recordExchanges } from "./exchanges";

setDefaultTimeout(180_000);

const EXAMPLES = join(import.meta.dir, "../../examples");
const stack = await startDueday();
const folder = await mkdtemp(join(tmpdir(), "dueday-go-"));
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

const python = ensureProgram(programs.python);
const goProgram = buildGoExample(folder);
/** `UPDATE_EXCHANGES=1` records them again, where the language is installed. */
const isUpdate = Bun.env.UPDATE_EXCHANGES === "1";

const LANGUAGES = [
  {
    name: "Python",
    folder: "python",
    command: python === null ? null : [python, join(EXAMPLES, "python/dueday.py")],
  },
  { name: "Go", folder: "go", command: goProgram === null ? null : [goProgram] },
];

for (const language of LANGUAGES) {
  const file = join(EXAMPLES, language.folder, "exchanges.json");
  const { command } = language;

  describe(`the example in ${language.name}`, () => {
    let recorded: Recording;
    let ran: Recording | null = null;
    beforeAll(async () => {
      if (command !== null) {
        ran = await recordExchanges(command, stack);
        if (isUpdate) await Bun.write(file, `${JSON.stringify(ran, null, 2)}\n`);
      }
      recorded = await Bun.file(file).json();
    });

    test.skipIf(command === null)("does what was recorded: the same requests, answers and lines", () => {
      expect(ran).not.toBeNull();
      for (const step of ["readiness", "events", "webhook"] as const) {
        expect(ran?.[step].exchanges.map(formOf)).toEqual(recorded[step].exchanges.map(formOf));
        expect(keysOf(ran?.[step].printed ?? "")).toEqual(keysOf(recorded[step].printed));
      }
    });

    test.skipIf(command === null)(
      "opens a stream that broke in the middle of a chunk again, after the last event",
      async () => {
        const paths: string[] = [];
        const server = Bun.listen({
          hostname: "127.0.0.1",
          port: 0,
          socket: {
            data(socket, bytes) {
              paths.push(/^GET (\S+)/.exec(bytes.toString())?.[1] ?? "");
              const event = `data: {"seq": ${paths.length}, "type": "payment.paid"}\n\n`;
              const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
              socket.end(`${head}${event.length.toString(16)}\r\n${event}\r\n20\r\ndata: {`);
            },
          },
        });
        const child = Bun.spawn([...(command ?? []), "events", `http://127.0.0.1:${server.port}`], {
          stderr: "ignore",
        });
        try {
          await waitUntil("the third connection", async () => paths.length >= 3 || child.exitCode !== null);
        } finally {
          child.kill();
          server.stop(true);
        }
        expect(paths.slice(0, 3)).toEqual(["/events", "/events?after=1", "/events?after=2"]);
      },
    );

    test("was recorded with answers that the service still gives", async () => {
      for (const step of ["readiness", "events"] as const) {
        for (const { request, answer } of recorded[step].exchanges) {
          const again = await fetch(`${stack.url}${request.path}`, { headers: request.headers });
          expect([again.status, again.headers.get("content-type")]).toEqual([answer.status, answer.type]);
          if (step === "readiness") expect(keysOf(await again.text())).toEqual(keysOf(answer.body));
          else await again.body?.cancel();
        }
      }
      const [first] = recorded.webhook.exchanges;
      const { headers = {}, body = "" } = first?.request ?? {};
      const now = () => Number(headers["webhook-timestamp"]) * 1000;
      const event: unknown = await verifyWebhook({ headers, body }, recorded.secret, { now });
      expect(event).toMatchObject({ type: "webhook.challenge", data: { challenge: first?.answer.body ?? "" } });
    });
  });
}

/** What is the same in each run: values of the chain, ids, times and signatures differ. */
function formOf({ request, answer }: Exchange) {
  return {
    ...request,
    headers: Object.keys(request.headers),
    path: request.path,
    body: keysOf(request.body),
    answer: { status: answer.status, type: answer.type, body: keysOf(answer.body) },
  };
}

/** The names of a JSON object; of an event of a stream, which may be of any type, its fields; of other text how many words it has. */
function keysOf(text: string): unknown {
  if (/^data:/m.test(text)) return text.split("\n").map((line) => line.split(":", 1)[0]);
  try {
    return Object.keys(Object(JSON.parse(text)));
  } catch {
    return text.split(" ").length;
  }
}
