import { expect, test } from "bun:test";
import { createNotifier, type Notifier } from "./createNotifier";

const GOOD = "https://good.example/a-secret-path";
const BROKEN = "https://broken.example/another-secret-path";

/** Runs a notifier on a clock that moves only when it waits. `at` are things that happen at these milliseconds. */
async function run(at: Record<number, (notifier: Notifier) => void>, { urls = [GOOD], untilMs = 3_600_000 } = {}) {
  let now = 0;
  const stop = new AbortController();
  const posts: { at: number; text: string }[] = [];
  const logged: string[] = [];
  const events = Object.entries(at).map(([time, happen]) => ({ time: Number(time), happen }));
  const notifier = createNotifier({
    urls,
    log: (_, message) => void logged.push(message),
    clock: {
      elapsed: () => now,
      wall: () => now,
      random: () => 0,
      async sleep(milliseconds) {
        now += milliseconds;
        for (const event of events.splice(0)) {
          if (event.time <= now) event.happen(notifier);
          else events.push(event);
        }
        if (now >= untilMs) stop.abort();
      },
    },
    async post(url, body) {
      if (url === BROKEN) throw new Error("404");
      posts.push({ at: now, text: JSON.parse(body).text });
    },
  });
  await notifier.run(stop.signal);
  return { posts, texts: posts.map(({ text }) => text), logged, sent: notifier.sent() };
}

test("an incident that comes and goes is one message, and one when it has stayed away", async () => {
  const { texts, sent } = await run({
    1000: (notifier) => void notifier.raise("blocked", "blocked by X"),
    200000: (notifier) => void notifier.resolve("blocked", "over: works again"),
    300000: (notifier) => void notifier.raise("blocked", "blocked by X"),
    400000: (notifier) => void notifier.resolve("blocked", "over: works again"),
  });
  expect(texts).toEqual(["blocked by X", "over: works again (began 1970-01-01 00:00 UTC, came 2 times)"]);
  expect(sent).toBe(2);
});

test("a receiver that is broken delays no message to another, and is reported once, without its URL", async () => {
  const { posts, logged } = await run(
    {
      1000: (notifier) => notifier.announce("started"),
      70000: (notifier) => notifier.announce("settled"),
    },
    { urls: [BROKEN, GOOD] },
  );
  expect(posts).toEqual([
    { at: 2_000, text: "started" },
    { at: 70_000, text: "settled" },
  ]);
  expect(logged).toEqual([
    "URL 1 of notify.urls does not take messages: they wait, and are sent again",
    "2 lines for URL 1 of notify.urls were not sent before the end; the log has them",
  ]);
});

test("what waits when the keeper ends is sent, with the incidents that have gone as over", async () => {
  const { texts } = await run(
    {
      1000: (notifier) => void notifier.raise("failing", "no node answers"),
      100000: (notifier) => void notifier.resolve("failing", "over: works again"),
    },
    { untilMs: 120_000 },
  );
  expect(texts).toEqual(["no node answers", "over: works again (began 1970-01-01 00:00 UTC)"]);
});

test("without URLs nothing is sent and nothing waits", async () => {
  const { posts, logged } = await run({ 1000: (notifier) => notifier.announce("hello") }, { urls: [] });
  expect([posts, logged]).toEqual([[], []]);
});
