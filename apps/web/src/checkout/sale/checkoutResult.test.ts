import { expect, test } from "bun:test";
import { readButtonMessage, toReturnUrl } from "./checkoutResult";

const result = {
  status: "subscribed",
  subscription: "0x12",
  account: "0xAb",
  transaction: "0x34",
  reference: "a&b=c",
  proof: null,
} as const;

test("a return address keeps its query and gets the result, without fields that have no value", () => {
  expect(toReturnUrl("https://shop.example/thanks?lang=de", result)).toBe(
    "https://shop.example/thanks?lang=de&status=subscribed&subscription=0x12&account=0xAb&transaction=0x34&reference=a%26b%3Dc",
  );
  const member = { ...result, status: "already_subscribed", transaction: null, reference: null } as const;
  expect(toReturnUrl("https://shop.example/", member)).toBe(
    "https://shop.example/?status=already_subscribed&subscription=0x12&account=0xAb",
  );
});

test("a proof goes into the address as its message and signature", () => {
  const url = new URL(
    toReturnUrl("https://shop.example/", { ...result, proof: { message: "a\nb", signature: "0x56" } }),
  );
  expect(url.searchParams.get("message")).toBe("a\nb");
  expect(url.searchParams.get("signature")).toBe("0x56");
});

test("a field of the return address can't be a second value beside the result's", () => {
  expect(new URL(toReturnUrl("https://shop.example/?status=paid", result)).searchParams.getAll("status")).toEqual([
    "subscribed",
  ]);
});

test("messages of other kinds are not the checkout's", () => {
  for (const data of [null, 1, "dueday:result", {}, { type: "result" }, { type: "dueday:result" }])
    expect(readButtonMessage(data)).toBeNull();
  expect(readButtonMessage({ type: "dueday:ready" })).toEqual({ type: "dueday:ready" });
  expect(readButtonMessage({ type: "dueday:result", result })).toEqual({ type: "dueday:result", result });
});
