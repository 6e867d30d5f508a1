import { freePort } from "@dueday/db/embedded/freePort";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { startDueday } from "@dueday/testkit";

type Stack = Awaited<ReturnType<typeof startDueday>>;

/** A request and its answer, as a program of another language has sent or answered it. Of lists in JSON only the first entry is kept. */
export type Exchange = {
  request: { method: string; path: string; headers: Record<string, string>; body: string };
  answer: { status: number; type: string; body: string };
};

/** The first exchange of such a program, and what it printed: its first line, or all of it for the webhook, whose secret is `secret`. */
export type Recording = Record<"readiness" | "events" | "webhook", { exchanges: Exchange[]; printed: string }> & {
  secret: string;
};

const KEPT_HEADERS = ["accept", "content-type", "webhook-id", "webhook-timestamp", "webhook-signature"];

/** Runs all that the example of a language can do against a stack, and records it. */
export async function recordExchanges(command: readonly string[], stack: Stack): Promise<Recording> {
  const readiness = await ask("readiness", stack, command, ({ printed }) => printed().endsWith("\n"));
  const events = await ask("events", stack, command, ({ printed }) => printed().includes("\n"));
  return { readiness, events, ...(await receive(stack, command)) };
}

type Running = { printed(): string };

async function ask(
  what: "readiness" | "events",
  stack: Stack,
  command: readonly string[],
  isDone: (running: Running) => boolean,
) {
  await using proxy = startProxy(stack.url);
  await using running = start([...command, what, proxy.url, ...(what === "events" ? ["0"] : [])]);
  await waitUntil(what, async () => isDone(running) && proxy.exchanges.length > 0);
  const [line = ""] = running.printed().split("\n");
  return { exchanges: proxy.exchanges.slice(0, 1), printed: what === "events" ? line : shorten(line) };
}

async function receive(stack: Stack, command: readonly string[]) {
  const port = await freePort();
  await using proxy = startProxy(`http://127.0.0.1:${port}`);
  const { secret, enable } = await stack.createWebhook(`${proxy.url}/hooks`, { types: ["payment.paid"] });
  await using running = start([...command, "webhooks"], { WEBHOOK_SECRET: secret, PORT: String(port) });
  await waitUntil("the receiver listens", () => fetch(`http://127.0.0.1:${port}`).then(Boolean, () => false));
  await enable();
  return { webhook: { exchanges: proxy.exchanges.slice(0, 1), printed: running.printed() }, secret };
}

/** Passes each exchange on, with the headers in `KEPT_HEADERS` alone, and keeps it. Of a stream of events it keeps the first event. */
function startProxy(target: string) {
  const exchanges: Exchange[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = await request.text();
      const path = pathname + search;
      const passed = Object.fromEntries(KEPT_HEADERS.flatMap((name) => [[name, headers.get(name) ?? ""]]));
      const kept = Object.fromEntries(Object.entries(passed).filter(([, value]) => value !== ""));
      const answer = await fetch(`${target}${path}`, { method, headers: kept, ...(body !== "" && { body }) });
      const type = answer.headers.get("content-type") ?? "";
      const note = (text: string) =>
        exchanges.push({
          request: { method, path, headers: kept, body },
          answer: { status: answer.status, type, body: shorten(text) },
        });
      if (!type.startsWith("text/event-stream") || answer.body === null) {
        const text = await answer.text();
        note(text);
        return new Response(text, { status: answer.status, headers: { "Content-Type": type } });
      }
      const [noted, sent] = answer.body.tee();
      void readFirstEvent(noted).then(note);
      return new Response(sent, { status: answer.status, headers: { "Content-Type": type } });
    },
  });
  return { url: server.url.origin, exchanges, [Symbol.asyncDispose]: () => server.stop(true) };
}

async function readFirstEvent(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const event = text.split("\n\n").find((part) => part.includes("data:"));
    if (event !== undefined && text.includes(`${event}\n\n`)) return event;
  }
  return text;
}

function start(command: readonly string[], env: Record<string, string> = {}) {
  const child = Bun.spawn([...command], { env: { ...Bun.env, ...env }, stdout: "pipe", stderr: "inherit" });
  let printed = "";
  (async () => {
    for await (const chunk of child.stdout) printed += new TextDecoder().decode(chunk);
  })();
  return {
    printed: () => printed,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** JSON with the first entry of each list; other text as it is. */
function shorten(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) => (Array.isArray(value) ? value.slice(0, 1) : value));
  } catch {
    return text;
  }
}
