import { expect, test } from "bun:test";
import { isAllowedReturn, isCheckoutOrigin, isHttpsUrl, isReturnPage } from "./checkoutUrls";

const abroad = { toLoopback: false };
const here = { toLoopback: true };

test.each([
  ["https://shop.example", true],
  ["https://shop.example:8443", true],
  ["https://shop.example/", false],
  ["https://shop.example:443", false],
  ["https://SHOP.example", false],
  ["https://*.example", false],
  ["https://shop.example https://other.example", false],
  ["https://shop.example;script-src", false],
  ["https://user@shop.example", false],
  ["http://shop.example", false],
  ["http://localhost:4000", false],
  ["null", false],
  ["data:text/html,x", false],
])("%p as an origin: %p", (text, allowed) => {
  expect(isCheckoutOrigin(text, abroad)).toBe(allowed);
});

test("http is for this machine only, and only where that is allowed", () => {
  expect(isCheckoutOrigin("http://localhost:4000", here)).toBe(true);
  expect(isCheckoutOrigin("http://127.0.0.1:4000", here)).toBe(true);
  expect(isCheckoutOrigin("http://shop.example", here)).toBe(false);
  expect(isCheckoutOrigin("http://localhost.shop.example", here)).toBe(false);
});

test("a return page has neither query nor fragment; a further URL may", () => {
  expect(isReturnPage("https://shop.example/thanks", abroad)).toBe(true);
  expect(isReturnPage("https://shop.example/thanks?a=1", abroad)).toBe(false);
  expect(isReturnPage("https://shop.example/thanks#a", abroad)).toBe(false);
  expect(isReturnPage("https://shop.example/a/../thanks", abroad)).toBe(false);
  expect(isHttpsUrl("https://shop.example/help?lang=de#pay", abroad)).toBe(true);
  expect(isHttpsUrl("javascript:alert(1)", abroad)).toBe(false);
});

test.each([
  ["https://shop.example/thanks", true],
  ["https://shop.example/thanks?order=1", true],
  ["https://shop.example/x/../thanks", true],
  ["https://shop.example/thanks/", false],
  ["https://shop.example/thanks#x", false],
  ["https://shop.example/Thanks", false],
  ["https://shop.example.evil.example/thanks", false],
  ["https://shop.example@evil.example/thanks", false],
  ["https://evil.example\\@shop.example/thanks", false],
  ["https://sh\top.example/thanks", false],
  ["http://shop.example/thanks", false],
  ["//shop.example/thanks", false],
  ["javascript:alert(1)", false],
])("a payer is returned to %p: %p", (text, allowed) => {
  expect(isAllowedReturn(text, ["https://shop.example/thanks"])).toBe(allowed);
});
