import { expect, test } from "bun:test";
import { readRequest } from "./readRequest";

const ID: `0x${string}` = `0x${"12".repeat(32)}`;
const read = (search: string) => readRequest({ pathname: `/pay/${ID}`, search });

test("an address without a query asks for twelve periods, and neither for a proof nor for a return", () => {
  expect(read("")).toEqual({
    id: ID,
    chainId: null,
    reference: null,
    returnUrl: null,
    periods: 12,
    proof: false,
    origin: null,
  });
});

test("every field of the query is read", () => {
  const search =
    "?reference=order%207&return_url=https%3A%2F%2Fshop.example%2Fthanks&periods=3&proof=1&chainId=84532&origin=https%3A%2F%2Fshop.example";
  expect(read(search)).toEqual({
    id: ID,
    chainId: 84532,
    reference: "order 7",
    returnUrl: "https://shop.example/thanks",
    periods: 3,
    proof: true,
    origin: "https://shop.example",
  });
});

test.each([
  ["?periods=0", "periods"],
  ["?periods=121", "periods"],
  ["?periods=1.5", "periods"],
  ["?periods=-1", "periods"],
  ["?chainId=0x2105", "chainId"],
  ["?chainId=", "chainId"],
  [`?reference=${"x".repeat(201)}`, "reference"],
])("%s is refused with a sentence that names the field", (search, field) => {
  expect(() => read(search)).toThrow(field);
});
