import { expect, test } from "bun:test";
import { readVectors } from "@dueday/core/test/readVectors";
import { dayNumber } from "./dayNumber";
import { toFrequency } from "./frequency";
import { prorate } from "./prorate";

test("every recorded proration is met to the last unit", async () => {
  const rows = await readVectors("proration.csv");
  expect(rows.length).toBe(760);
  for (const { timestamp, dueDay, amount, frequency, prorated } of rows) {
    const frequencyCode = toFrequency(Number(frequency));
    expect(prorate(BigInt(amount ?? ""), frequencyCode, Number(dueDay), dayNumber(Number(timestamp)))).toBe(
      BigInt(prorated ?? ""),
    );
  }
});
