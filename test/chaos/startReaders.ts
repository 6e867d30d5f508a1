import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import type { DevnetClient } from "@dueday/devnet/client";
import { send } from "@dueday/devnet/send";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { Address } from "viem";

/** A stream at each API process, and a webhook: all read the same events. */
export type Readers = {
  /** Answers of the webhook's endpoint from now on. */
  answer(status: number): void;
  /** Makes the contract log, whatever the keeper does. */
  emit(): Promise<void>;
  /** Requests that the endpoint has received, without challenges. */
  requests(): number;
  /**
   * Waits until every reader has all events up to now.
   *
   * @throws Error where a reader misses an event, a stream has one twice, out of order or not from the outbox, or the outbox has an event
   * twice, lacks a transaction of the chain or has one that the chain does not have
   */
  verify(): Promise<void>;
  stop(): Promise<void>;
};

export type ReadersOptions = { urls: readonly string[]; client: DevnetClient; contract: Address; adminSecret: string };

const Page = Type.Object({
  events: Type.Array(
    Type.Object({ id: Type.String(), seq: Type.Integer(), transactionHash: Type.Optional(Type.String()) }),
  ),
  nextAfter: Type.Integer(),
  hasMore: Type.Boolean(),
});
const JSON_TYPE = { "Content-Type": "application/json" };
const PAUSE_MS = 250;

export async function startReaders({ urls, client, contract, adminSecret }: ReadersOptions): Promise<Readers> {
  const [api = ""] = urls;
  const aborter = new AbortController();
  const fromBlock = (await client.getBlockNumber()) + 1n;
  const { nextAfter: start } = await lastPage(0);
  const streams = urls.map((url) => follow(url, start, aborter.signal));
  const delivered = new Set<number>();
  let status = 204;
  let requests = 0;
  const endpoint = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { seq, data }: { seq?: number; data: { challenge?: string } } = JSON.parse(await request.text());
      if (seq === undefined) return new Response(data.challenge);
      requests++;
      if (status < 300) delivered.add(seq);
      return new Response(null, { status });
    },
  });
  const key = await post("/developer/keys", { subjectId: "chaos" }, { "X-Service-Admin-Key": adminSecret });
  const url = `http://127.0.0.1:${endpoint.port}/`;
  const owner = { Authorization: `Bearer ${key.key}` };
  const { id, afterSeq } = await post("/webhooks", { url }, owner);
  await post(`/webhooks/${id}/challenge`, {}, owner);
  await waitUntil("the webhook to be enabled", async () => {
    const answer = await fetch(`${api}/webhooks/${id}`, { headers: owner });
    return Object(await answer.json()).enabled === true;
  });

  async function post(path: string, body: object, headers: Record<string, string>): Promise<Record<string, unknown>> {
    const answer = await fetch(api + path, {
      method: "POST",
      headers: { ...JSON_TYPE, ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
    return Object(await answer.json());
  }

  async function page(after: number) {
    return Value.Parse(Page, await (await fetch(`${api}/events?first=200&after=${after}`)).json());
  }

  async function lastPage(after: number): Promise<{ nextAfter: number }> {
    const found = await page(after);
    return found.hasMore ? lastPage(found.nextAfter) : found;
  }

  async function allEvents() {
    const events = [];
    for (let after = start, more = true; more; ) {
      const found = await page(after);
      events.push(...found.events);
      more = found.hasMore;
      after = found.nextAfter;
    }
    return events;
  }

  return {
    async emit() {
      const profile = { description: "chaos", company: "", url: "", domain: "", email: "", misc: "" };
      const from = testAccount(ACCOUNT_INDEX.firstSubscriber).address;
      await send(client, { from, to: contract, data: encodeEditProvDetails(profile) });
    },
    requests: () => requests,
    answer(next) {
      status = next;
    },
    async verify() {
      const logs = await client.getLogs({ address: contract, fromBlock, toBlock: "latest" });
      const mined = new Set(logs.map(({ transactionHash }) => transactionHash));
      const events = await allEvents();
      const told = new Set(events.flatMap(({ transactionHash }) => transactionHash ?? []));
      expectSame("transactions with events", [...told].toSorted(), [...mined].toSorted());
      if (new Set(events.map(({ id }) => id)).size < events.length) throw new Error("an event is in the outbox twice");
      const seqs = events.map(({ seq }) => seq);
      const last = seqs.at(-1) ?? start;
      await waitUntil("every reader to have the last event", () =>
        [...streams.map(({ received }) => received.at(-1)), Math.max(...delivered)].every((seq) => Number(seq) >= last),
      );
      await waitUntil("the webhook to have every event", () =>
        seqs.every((seq) => seq <= Number(afterSeq) || delivered.has(seq)),
      );
      for (const { received } of streams)
        expectSame(
          "events of a stream",
          received.filter((seq) => seq <= last),
          seqs,
        );
    },
    async stop() {
      aborter.abort();
      await Promise.all(streams.map(({ ended }) => ended));
      await endpoint.stop(true);
    },
  };
}

function expectSame(what: string, found: readonly unknown[], expected: readonly unknown[]): void {
  if (!Bun.deepEquals(found, expected)) throw new Error(`${what}: ${found.join(" ")} instead of ${expected.join(" ")}`);
}

/** A client that reconnects as browsers do, with the id of its last event. */
function follow(url: string, start: number, signal: AbortSignal) {
  const received: number[] = [];
  async function read(): Promise<void> {
    while (!signal.aborted) {
      try {
        const headers = { Accept: "text/event-stream", "Last-Event-ID": String(received.at(-1) ?? start) };
        const { body, ok } = await fetch(`${url}/events`, { headers, signal });
        const events = ok ? body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream()) : [];
        for await (const { id } of events ?? []) received.push(Number(id));
      } catch {
        // The process or its database is away: tried again until the test ends, which checks that nothing is missing.
      }
      await Bun.sleep(PAUSE_MS);
    }
  }
  return { received, ended: read() };
}
