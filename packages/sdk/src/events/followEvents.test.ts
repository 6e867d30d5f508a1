import { afterEach, describe, expect, test } from "bun:test";
import { createDueday, type DuedayEvent } from "@dueday/sdk";
import { type ReceivedRequest, type StubService, startStubService } from "@dueday/sdk/test/startStubService";

let stub: StubService | undefined;
afterEach(() => stub?.stop());

const eventText = (seq: number) =>
  `id: ${seq}\nevent: payment.paid\ndata: ${JSON.stringify({ id: `evt_${seq}`, seq, type: "payment.paid", data: {} })}\n\n`;

/** Streams that begin after `after`, as the service does, and each end after `perStream` events, in the middle of the next one. */
function startOutbox(lastSeq: number, perStream: number, first?: (index: number) => Response | null) {
  return startStubService(({ path }: ReceivedRequest, index) => {
    const instead = first?.(index);
    if (instead != null) return instead;
    const after = Number(new URL(path, "http://stub").searchParams.get("after") ?? 0);
    const seqs = Array.from({ length: Math.min(perStream, lastSeq - after) }, (_, i) => after + 1 + i);
    const text = `retry: 1\n\n: alive\n\n${seqs.map(eventText).join("")}`;
    const next = after + perStream < lastSeq ? eventText(after + perStream + 1).slice(0, -3) : "";
    const bytes = new TextEncoder().encode(text + next);
    const body = new ReadableStream({
      start(controller) {
        // In pieces that end anywhere.
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7));
        controller.close();
      },
    });
    return new Response(body, { headers: { "Content-Type": "text/event-stream; charset=utf-8" } });
  });
}

async function take(events: AsyncGenerator<DuedayEvent>, count: number): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of events) {
    seqs.push(seq);
    if (seqs.length === count) break;
  }
  return seqs;
}

describe("a follower of events", () => {
  test("sees each event once and in order through any number of broken connections", async () => {
    stub = startOutbox(10, 3);
    const dueday = createDueday({ baseUrl: stub.url, chainId: 31337 });
    expect(await take(dueday.events({ types: ["payment.paid"], after: 0 }), 10)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    expect(stub.received.map(({ path }) => path)).toEqual(
      [0, 3, 6, 9].map((after) => `/events?types=payment.paid&after=${after}&chainId=31337`),
    );
    expect(stub.received[0]?.headers.get("Accept")).toBe("text/event-stream");
  });

  test("that begins now resumes from there, although its connection broke before the first event", async () => {
    const opening = () => new Response(": seq 7\nretry: 1\n\n", { headers: { "Content-Type": "text/event-stream" } });
    stub = startOutbox(9, 3, (index) => (index === 0 ? opening() : null));
    expect(await take(createDueday({ baseUrl: stub.url }).events(), 2)).toEqual([8, 9]);
    expect(stub.received.map(({ path }) => path)).toEqual(["/events", "/events?after=7"]);
  });

  test("reports each end of a stream and each one that can't be opened, before it tries the next one", async () => {
    stub = startOutbox(2, 1, (index) => (index === 1 ? new Response("<html>", { status: 502 }) : null));
    const seen: string[] = [];
    const dueday = createDueday({ baseUrl: stub.url });
    const options = { onOpen: () => void seen.push("open"), onClose: () => void seen.push("closed") };
    expect(await take(dueday.events({ after: 0 }, options), 2)).toEqual([1, 2]);
    expect(seen).toEqual(["open", "closed", "closed", "open"]);
  });

  test("waits where the service restarts or has too many streams of this client", async () => {
    const trouble = [
      () => Response.json({ error: "restarting", code: "UPSTREAM_UNAVAILABLE" }, { status: 503 }),
      () => new Response("<html>", { status: 502 }),
    ];
    stub = startOutbox(2, 2, (index) => (index > 0 && index < 3 ? (trouble[index - 1]?.() ?? null) : null));
    const opened: number[] = [];
    const dueday = createDueday({ baseUrl: stub.url });
    const events = dueday.events({ after: 0 }, { onOpen: () => opened.push(stub?.received.length ?? 0) });
    expect(await take(events, 2)).toEqual([1, 2]);
    expect(opened).toEqual([1]);
  });

  test("rejects where the events after `after` are gone, and does not try again", async () => {
    const gone = { error: "gone", code: "EVENTS_GONE", oldestSeq: 100, lastSeq: 200 };
    stub = startOutbox(2, 2, () => Response.json(gone, { status: 410 }));
    const next = createDueday({ baseUrl: stub.url }).events({ after: 1 }).next();
    await expect(next).rejects.toMatchObject({ code: "EVENTS_GONE", body: { oldestSeq: 100, lastSeq: 200 } });
    expect(stub.received.length).toBe(1);
  });

  test("rejects an answer that is not a stream", async () => {
    stub = startOutbox(2, 2, () => Response.json({ events: [] }));
    await expect(createDueday({ baseUrl: stub.url }).events().next()).rejects.toMatchObject({ code: "INVALID_ANSWER" });
  });

  test("ends when its signal aborts, and closes the connection when the loop is left", async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    stub = startStubService(() => {
      const body = new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(eventText(1))),
        cancel: () => resolve(),
      });
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    });
    const dueday = createDueday({ baseUrl: stub.url });
    expect(await take(dueday.events(), 1)).toEqual([1]);
    await closed;
    const controller = new AbortController();
    const seen: number[] = [];
    for await (const { seq } of dueday.events({}, { signal: controller.signal })) {
      seen.push(seq);
      controller.abort();
    }
    expect(seen).toEqual([1]);
  });
});
