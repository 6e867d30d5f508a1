import { expect, test } from "bun:test";
import { createNotifier } from "./createNotifier";
import { notificationBody } from "./notificationForms";

const URLS = ["https://one.example/a-secret-path"];

/** A notifier on a clock that only moves when somebody waits; `at` are things that happen at these milliseconds. */
async function run(
  at: Record<number, (notifier: ReturnType<typeof createNotifier>) => void>,
  { untilMs = 600_000, failures = 0 } = {},
) {
  let now = 0;
  let left = failures;
  const stop = new AbortController();
  const posts: { at: number; text: string }[] = [];
  const lost: string[] = [];
  const events = Object.entries(at).map(([time, happen]) => ({ time: Number(time), happen }));
  const notifier = createNotifier({
    urls: URLS,
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
    async post(_, body) {
      if (left-- > 0) throw new Error("down");
      posts.push({ at: now, text: JSON.parse(body).text });
    },
    onFailure: (text) => void lost.push(text),
  });
  await notifier.run(stop.signal);
  return { posts, lost, sent: notifier.sent() };
}

test("an incident is one message however often it is raised, and one when it is over", async () => {
  const { posts } = await run({
    1000: (notifier) => void notifier.raise("blocked", "blocked by X"),
    5000: (notifier) => void notifier.raise("blocked", "blocked by X again"),
    200000: (notifier) => void notifier.resolve("blocked", "works again"),
    300000: (notifier) => void notifier.resolve("blocked", "works again"),
  });
  expect(posts.map(({ text }) => text)).toEqual(["blocked by X", "works again"]);
});

test("never more than one message a minute: what happens in between goes together", async () => {
  const at = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [
      1_000 + index * 1_000,
      (notifier: ReturnType<typeof createNotifier>) => notifier.announce(`line ${index}`),
    ]),
  );
  const { posts } = await run(at);
  for (const [index, { at: time }] of posts.entries()) {
    if (index > 0) expect(time - (posts[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(60_000);
  }
  expect(posts.length).toBeLessThanOrEqual(7);
  expect(posts.at(-1)?.text).toContain("line 299");
  expect(posts.at(-1)?.text).toContain("older lines are in the log");
});

test("a message that is not taken is sent again a minute later; one that never is, is reported without its URL", async () => {
  const announce = { 1000: (notifier: ReturnType<typeof createNotifier>) => notifier.announce("hello") };
  expect((await run(announce, { failures: 2 })).posts).toHaveLength(1);
  const { posts, lost } = await run(announce, { failures: 99 });
  expect(posts).toEqual([]);
  expect(lost).toEqual([expect.stringContaining("URL 1")]);
  expect(lost.join()).not.toContain("a-secret-path");
});

test("each service gets the form that it takes, in which text from the chain can mention or link nobody", () => {
  const evil = { text: "<!channel> @everyone & <http://x>", time: "2026-01-01T00:00:00.000Z" };
  expect(notificationBody("https://hooks.slack.com/services/T/B/x", evil)).toEqual({
    text: "&lt;!channel&gt; @everyone &amp; &lt;http://x&gt;",
  });
  expect(notificationBody("https://discord.com/api/webhooks/1/x", evil)).toEqual({
    ...{ content: evil.text, allowed_mentions: { parse: [] } },
  });
  expect(notificationBody("https://api.telegram.org/bot1:x/sendMessage?chat_id=-7", evil)).toEqual({
    ...{ chat_id: "-7", text: evil.text, disable_web_page_preview: true },
  });
  expect(notificationBody("https://example.org/hook", evil)).toEqual({ source: "dueday-keeper", ...evil });
  expect(
    String(notificationBody("https://discord.com/api/webhooks/1/x", { ...evil, text: "x".repeat(9_000) }).content)
      .length,
  ).toBe(2_000);
});
