import { expect, test } from "bun:test";
import { MinBlockNotReached, untilMinBlock } from "./minBlock";

test("a block that does not come is asked for a few times, and not ten times a second", async () => {
  let reads = 0;
  const request = { minBlock: 2n, signal: AbortSignal.timeout(1_500) };
  const waited = untilMinBlock(
    request,
    async () => ++reads,
    () => false,
  );
  await expect(waited).rejects.toBeInstanceOf(MinBlockNotReached);
  expect(reads).toBeGreaterThan(2);
  expect(reads).toBeLessThanOrEqual(8);
});
