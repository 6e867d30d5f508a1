import { expect, test } from "bun:test";
import { chosenToken } from "./planTerms";

const [usdc, other] = [
  { address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" },
  { address: "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42" },
] as const;

test("a new plan is priced in USDC on Base until its seller chooses another token, and elsewhere in the first", () => {
  expect(chosenToken([other, usdc], "")).toBe(usdc);
  expect(chosenToken([other, usdc], other.address)).toBe(other);
  expect(chosenToken([other], "")).toBe(other);
  expect(chosenToken([], "")).toBeUndefined();
});
