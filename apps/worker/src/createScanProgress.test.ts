import { expect, test } from "bun:test";
import { bulkReads } from "@dueday/chain/remit/state/bulkReads";
import { ServiceError } from "@dueday/core/errors";
import type { RemitSubscription } from "@dueday/core/remit/state";
import { zeroAddress, zeroHash } from "viem";
import { createScanProgress } from "./createScanProgress";

const subscription: RemitSubscription = {
  id: zeroHash,
  amount: 1n,
  provider: zeroAddress,
  token: zeroAddress,
  cancelled: false,
  frequency: 0,
  dueDay: 1,
  subscribers: [],
  unsubscribed: [],
};

function start() {
  let now = 0;
  const progress = createScanProgress(
    () => now,
    () => {},
  );
  return {
    progress,
    reads: progress.over(bulkReads),
    pass(milliseconds: number) {
      now += milliseconds;
    },
  };
}

test("the deadline of a scan follows from the subscriptions that it reads, and those that it has are counted", async () => {
  const { progress, reads, pass } = start();
  pass(5);
  await progress.follow("scan_due", async () => {
    expect(progress.running()).toEqual({
      job: "scan_due",
      startedAt: 5,
      deadline: 120_005,
      subscriptions: null,
      subscriptionsRead: 0,
    });
    reads.newStore(300).add(subscription);
    reads.newStore(700).add(subscription);
    reads.newStore().add(subscription);
    expect(progress.running()).toMatchObject({ deadline: 122_005, subscriptions: 1_000, subscriptionsRead: 2 });
  });
  expect(progress.running()).toBeNull();
});

test("a scan that reads on after its deadline fails, may be repeated, and the next one has its own deadline", async () => {
  const { progress, reads, pass } = start();
  const late = progress.follow("scan_remit", async () => {
    const { add } = reads.newStore(10);
    pass(120_020);
    add(subscription);
    pass(1);
    add(subscription);
  });
  const error = await late.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ServiceError);
  expect(error).toMatchObject({
    code: "UPSTREAM_TIMEOUT",
    retryable: true,
    details: { subscriptions: 10, subscriptionsRead: 2 },
  });
  await progress.follow("scan_due", async () => progress.check());
});
