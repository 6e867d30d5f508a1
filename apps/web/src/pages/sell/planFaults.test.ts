import { expect, test } from "bun:test";
import { planFaults } from "./planFaults";

const token = { symbol: "USDC", decimals: 6, minimum: "0.01" };
const terms = { name: "Reader", price: "12.50", description: "" };

test("a plan with a name and a price that the token can express has no fault", () => {
  for (const price of ["12.50", "0.01", "1", "1000000"]) expect(planFaults({ ...terms, price }, token)).toEqual({});
});

test.each([
  ["", "at most 6 decimals"],
  ["12,50", "such as 12.50"],
  ["-1", "without signs"],
  ["007", "such as 12.50"],
  ["1.0000001", "at most 6 decimals"],
  ["9".repeat(41), "such as 12.50"],
  ["0", "at least 0.01 USDC"],
  ["0.009", "at least 0.01 USDC"],
])("the price %p is refused with what is allowed", (price, allowed) => {
  expect(planFaults({ ...terms, price }, token).price).toContain(allowed);
});

test("the least price of a token of many decimals is named with all its digits", () => {
  const fine = { symbol: "FINE", decimals: 18, minimum: "0.0000001" };
  expect(planFaults({ ...terms, price: "0.00000001" }, fine).price).toContain("at least 0.0000001 FINE");
});

test("a name is required, of at most 60 characters, and the description's bytes are counted with it", () => {
  expect(planFaults({ ...terms, name: "  " }, token).name).toStartWith("Name must have 1 to 60 characters.");
  expect(planFaults({ ...terms, name: "x".repeat(61) }, token).name).toContain("60");
  expect(planFaults({ ...terms, name: "🐚".repeat(60) }, token).name).toBeUndefined();
  expect(planFaults({ ...terms, description: "ä".repeat(2_045) }, token).description).toContain("have 4,097");
  expect(planFaults({ ...terms, description: "ä".repeat(2_044) }, token)).toEqual({});
});
