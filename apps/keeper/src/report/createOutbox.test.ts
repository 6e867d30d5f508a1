import { expect, test } from "bun:test";
import { createOutbox } from "./createOutbox";
import { notificationForm } from "./notificationForm";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** An outbox on a clock that stands still between `pass`; the receiver takes messages while `isUp`. */
function start(url = "https://example.org/hook") {
  let now = 0;
  const receiver = { isUp: true, tries: 0 };
  const posts: { at: number; text: string }[] = [];
  const taken: boolean[] = [];
  const outbox = createOutbox({
    clock: {
      elapsed: () => now,
      wall: () => Date.UTC(2026, 2, 1, 14, 5) + now,
      sleep: () => Promise.resolve(),
      random: () => 0,
    },
    form: notificationForm(url),
    async post(text) {
      receiver.tries++;
      if (!receiver.isUp) throw new Error("down");
      posts.push({ at: now, text });
    },
    onTaken: (isTaken) => void taken.push(isTaken),
  });
  return {
    outbox,
    receiver,
    posts,
    taken,
    async pass(milliseconds: number, each = () => {}) {
      for (const end = now + milliseconds; now < end; ) {
        now = Math.min(now + 2_000, end);
        each();
        await outbox.flush();
      }
    },
  };
}

test("a first line is sent at once; what comes within the next minute goes together", async () => {
  const { outbox, posts, pass } = start();
  outbox.add("started");
  await pass(2_000);
  expect(posts).toEqual([{ at: 2_000, text: "started" }]);
  outbox.add("one");
  outbox.add("two");
  outbox.add("two");
  await pass(50_000);
  expect(posts).toHaveLength(1);
  await pass(30_000);
  expect(posts.slice(1).map(({ text }) => text)).toEqual(["one\ntwo (2 times)"]);
});

test("however many lines come, a minute has at most one message and an hour at most nine, and every line is in one", async () => {
  const { outbox, posts, pass } = start();
  let count = 0;
  await pass(6 * HOUR, () => {
    if (++count % 60 === 0) outbox.add(`line ${count}`);
  });
  await pass(HOUR);
  for (const [index, { at }] of posts.entries()) {
    if (index > 0) expect(at - (posts[index - 1]?.at ?? 0)).toBeGreaterThanOrEqual(MINUTE);
    expect(posts.filter((post) => post.at >= at && post.at < at + HOUR).length).toBeLessThanOrEqual(9);
  }
  const lines = posts.flatMap(({ text }) => text.split("\n"));
  expect(lines).toHaveLength(count / 60);
});

test("a line that waited for more than a minute has its time", async () => {
  const { outbox, posts, pass } = start();
  for (let index = 0; index < 5; index++) {
    outbox.add(`line ${index}`);
    await pass(MINUTE);
  }
  outbox.add("blocked by X");
  await pass(15 * MINUTE);
  expect(posts.at(-1)?.text).toBe("14:10 UTC blocked by X");
});

test("of too many lines the newest are sent, and the others are counted", async () => {
  const { outbox, posts, pass } = start("https://discord.com/api/webhooks/1/x");
  for (let index = 0; index < 300; index++) outbox.add(`${"x".repeat(90)} ${index}`);
  await pass(2_000);
  const [head = "", ...lines] = (posts[0]?.text ?? "").split("\n");
  expect(lines.at(-1)).toEndWith(" 299");
  expect(head).toBe(`(${300 - lines.length} older lines are in the log)`);
  expect(posts[0]?.text.length).toBeLessThanOrEqual(2_000);
});

test("a receiver that is down loses nothing: it is asked again after pauses of a minute to an hour, and then gets every line", async () => {
  const { outbox, receiver, posts, taken, pass } = start();
  receiver.isUp = false;
  outbox.add("blocked by X");
  await pass(HOUR);
  expect(receiver.tries).toBe(6);
  expect(taken).toEqual([false]);
  outbox.add("blocked by Y");
  await pass(23 * HOUR);
  expect(receiver.tries).toBe(29);
  receiver.isUp = true;
  await pass(HOUR);
  expect(posts.map(({ text }) => text)).toEqual(["14:05 UTC blocked by X\n15:05 UTC blocked by Y"]);
  expect(taken).toEqual([false, true]);
});

test("a receiver that is down for good makes the process keep a bounded number of lines", async () => {
  const { outbox, receiver, posts, pass } = start();
  receiver.isUp = false;
  for (let index = 0; index < 5_000; index++) {
    outbox.add(`line ${index}`);
    if (index % 1_000 === 0) await pass(HOUR);
  }
  expect(outbox.waiting()).toBeLessThanOrEqual(200);
  receiver.isUp = true;
  await pass(HOUR);
  expect(posts[0]?.text).toStartWith("(4800 older lines are in the log)\n");
  expect(posts[0]?.text).toEndWith("line 4999");
});
